//! Additional CA certificates from the application's configuration.

use super::net_error::NetError;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use tgp_base::bounded_read::read_at_most;

/// A bundle of all CAs that browsers trust has about 250 KB.
const MAX_BYTES: usize = 4 << 20;

/// CA certificates; empty by default.
#[derive(Debug, Clone, Default)]
pub struct CaBundle(Vec<CertificateDer<'static>>);

impl CaBundle {
    /// Reads a PEM file with one or more certificates.
    ///
    /// # Errors
    /// `BadCa` when the file cannot be read or contains anything but CA certificates.
    pub fn read(path: &Path) -> Result<Self, NetError> {
        let bad = |why| NetError::BadCa { why };
        let file = open(path).map_err(|_| {
            bad("cannot be read. Set it to a PEM file of certificates, relative to the folder of the config file")
        })?;
        let text = read_at_most(file, MAX_BYTES, 0).map_err(|_| bad("cannot be read. Check the disk"))?;
        Self::parse(&text.ok_or_else(|| bad("is larger than 4 MiB. Keep only the certificates of your own CAs; those of the system are trusted anyway"))?)
    }

    fn parse(pem: &[u8]) -> Result<Self, NetError> {
        let bad = |why| NetError::BadCa { why };
        let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let certificates =
            certificates.map_err(|_| bad("contains a damaged certificate. Export it again as PEM (Base64)"))?;
        if certificates.is_empty() {
            return Err(bad(
                "contains no PEM certificate. Export it as PEM, which begins with '-----BEGIN CERTIFICATE-----'; DER is not supported",
            ));
        }
        let mut store = RootCertStore::empty();
        for certificate in &certificates {
            store.add(certificate.clone()).map_err(|_| bad("contains a certificate that cannot be used. Provide the X.509 certificate of the CA, not a key or a signing request"))?;
        }
        Ok(Self(certificates))
    }

    pub(super) fn certificates(&self) -> impl Iterator<Item = CertificateDer<'static>> {
        self.0.iter().cloned()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Opens a regular file without blocking; opening a pipe could block forever.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

#[cfg(test)]
mod tests {
    use super::CaBundle;

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_without_blocking() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("ca.pem");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
        assert!(CaBundle::read(&pipe).unwrap_err().to_string().contains("cannot be read"));
    }

    #[test]
    fn files_without_certificates_are_refused() {
        let junk = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for (text, why) in [("", "no PEM certificate"), ("hello", "no PEM certificate"), (junk, "cannot be used")] {
            let error = CaBundle::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("network.ca"), "{error}");
        }
        assert!(CaBundle::read("/nowhere".as_ref()).is_err() && CaBundle::read("/".as_ref()).is_err());
    }
}
