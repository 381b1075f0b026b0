//! The TLS trust policy for all outgoing connections, of Git and of tools.
//!
//! The CAs of the system are trusted: its store on macOS and Windows, its certificate files elsewhere. A system without any,
//! such as a bare container, uses Mozilla's CAs, which the addon contains. The application may add its own. If `SSL_CERT_FILE`
//! or `SSL_CERT_DIR` is set, it replaces the system's CAs; a mistake in it never extends trust.

use super::ca_bundle::CaBundle;
use super::net_error::NetError;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use std::sync::Arc;

/// The settings of every TLS connection. Slow: reads the system's certificates.
///
/// # Errors
/// `NoTrust`, or `NoRuntime` when the system provides no randomness or memory.
pub fn tls(extra: &CaBundle) -> Result<ClientConfig, NetError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = match variables() {
        Some(variables) => verifier_of_environment(extra, &provider, variables)?,
        None => verifier_of_machine(extra, &provider)?,
    };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| NetError::NoRuntime)?
        // Safe: the verifier comes from rustls or its authors.
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(config)
}

/// The names of the certificate variables that are set.
#[expect(clippy::disallowed_methods, reason = "checks only whether they are set; the verifier reads them")]
fn variables() -> Option<&'static str> {
    match (std::env::var_os("SSL_CERT_FILE"), std::env::var_os("SSL_CERT_DIR")) {
        (Some(_), Some(_)) => Some("SSL_CERT_FILE and SSL_CERT_DIR"),
        (Some(_), None) => Some("SSL_CERT_FILE"),
        (None, Some(_)) => Some("SSL_CERT_DIR"),
        (None, None) => None,
    }
}

/// Trusts the CAs of the variables and of the application; an error if there are none at all.
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
    // Tried without the extra CAs first: with them, a system without CAs would not be detected.
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
