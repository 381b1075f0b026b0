//! Whom we take for who they say they are: one policy for all that leaves this machine, of Git and of tools.
//!
//! What the machine trusts is trusted: its own store on macOS and Windows, its certificates elsewhere. A machine without
//! any, such as a bare container, gets Mozilla's, which are inside the addon. The application may add its own. Where
//! `SSL_CERT_FILE` or `SSL_CERT_DIR` says whom to trust, nobody else is: a mistake in them opens nothing.

use super::ca_bundle::CaBundle;
use super::net_error::NetError;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use std::sync::Arc;

/// The settings of every TLS connection. Reads the machine's certificates, which takes a while.
///
/// # Errors
/// `NoTrust`, or `NoRuntime` when the system gives no randomness or no memory for them.
pub fn tls(extra: &CaBundle) -> Result<ClientConfig, NetError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = match variables() {
        Some(variables) => verifier_of_environment(extra, &provider, variables)?,
        None => verifier_of_machine(extra, &provider)?,
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| NetError::NoRuntime)?
        // No danger: a verifier of rustls' own authors, or of rustls itself.
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(config)
}

/// The variables that say whom to trust, where they are set.
#[expect(clippy::disallowed_methods, reason = "whether there are any; the verifier reads them itself")]
fn variables() -> Option<&'static str> {
    match (std::env::var_os("SSL_CERT_FILE"), std::env::var_os("SSL_CERT_DIR")) {
        (Some(_), Some(_)) => Some("SSL_CERT_FILE and SSL_CERT_DIR"),
        (Some(_), None) => Some("SSL_CERT_FILE"),
        (None, Some(_)) => Some("SSL_CERT_DIR"),
        (None, None) => None,
    }
}

/// Trusts whom the variables name and the application adds; an error when that is nobody.
fn verifier_of_environment(
    extra: &CaBundle,
    provider: &Arc<CryptoProvider>,
    variables: &'static str,
) -> Result<Arc<dyn ServerCertVerifier>, NetError> {
    match Verifier::new_with_extra_roots(extra.certificates(), Arc::clone(provider)) {
        Ok(verifier) => Ok(Arc::new(verifier)),
        Err(_) => Err(NetError::NoTrust { variables }),
    }
}

fn verifier_of_machine(
    extra: &CaBundle,
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, NetError> {
    // Without the extra ones first: with them, a machine that has none would not be noticed.
    match Verifier::new(Arc::clone(provider)) {
        Ok(verifier) if extra.is_empty() => Ok(Arc::new(verifier)),
        Ok(_) => {
            let verifier = Verifier::new_with_extra_roots(extra.certificates(), Arc::clone(provider));
            Ok(Arc::new(verifier.map_err(|_| NetError::NoRuntime)?))
        }
        Err(_) => {
            let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
            roots.add_parsable_certificates(extra.certificates());
            let verifier = WebPkiServerVerifier::builder_with_provider(roots.into(), Arc::clone(provider));
            Ok(verifier.build().map_err(|_| NetError::NoRuntime)?)
        }
    }
}
