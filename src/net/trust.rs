//! Whom we take for who they say they are: one policy for all that leaves this machine, of Git and of tools.
//!
//! What the machine trusts is trusted: its own store on macOS and Windows, its certificates elsewhere. A machine without
//! any, such as a bare container, gets Mozilla's, which are inside the addon. The application may add its own.

use super::ca_bundle::CaBundle;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use std::sync::Arc;

/// The settings of every TLS connection; `None` when the system gives no randomness or no memory for them.
pub(super) fn tls(extra: &CaBundle) -> Option<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = verifier(extra, &provider)?;
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .ok()?
        // No danger: a verifier of rustls' own authors, or of rustls itself.
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Some(config)
}

fn verifier(extra: &CaBundle, provider: &Arc<CryptoProvider>) -> Option<Arc<dyn ServerCertVerifier>> {
    // Without the extra ones first: with them, a machine that has none would not be noticed.
    match Verifier::new(Arc::clone(provider)) {
        Ok(verifier) if extra.is_empty() => Some(Arc::new(verifier)),
        Ok(_) => {
            let verifier = Verifier::new_with_extra_roots(extra.certificates(), Arc::clone(provider)).ok()?;
            Some(Arc::new(verifier))
        }
        Err(_) => {
            let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
            roots.add_parsable_certificates(extra.certificates());
            let verifier = WebPkiServerVerifier::builder_with_provider(roots.into(), Arc::clone(provider));
            verifier.build().ok().map(|verifier| verifier as Arc<dyn ServerCertVerifier>)
        }
    }
}
