//! Certificates that the application trusts beside those of the machine.

use super::net_error::NetError;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use tgp_base::bounded_read::read_at_most;

/// A bundle of all the authorities that browsers trust is some 250 KB.
const MAX_BYTES: usize = 4 << 20;

/// Certificates of authorities; none by default.
#[derive(Debug, Clone, Default)]
pub struct CaBundle(Vec<CertificateDer<'static>>);

impl CaBundle {
    /// Reads a file of certificates in PEM, one or more.
    ///
    /// # Errors
    /// `BadCa` when it cannot be read or holds anything that is no certificate of an authority.
    pub fn read(path: &Path) -> Result<Self, NetError> {
        let bad = |why| NetError::BadCa { why };
        let file = open(path).map_err(|_| {
            bad("cannot be read. Name a file of certificates in PEM, relative to the folder of the config file")
        })?;
        let text = read_at_most(file, MAX_BYTES, 0).map_err(|_| bad("cannot be read. Check the disk it is on"))?;
        Self::parse(&text.ok_or_else(|| bad("is larger than 4 MiB. Keep only the certificates of your own authorities: those of the machine are trusted anyway"))?)
    }

    fn parse(pem: &[u8]) -> Result<Self, NetError> {
        let bad = |why| NetError::BadCa { why };
        let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let found = found.map_err(|_| {
            bad("is damaged: a certificate in it cannot be read. Export it again in PEM, also known as Base64")
        })?;
        if found.is_empty() {
            return Err(bad(
                "holds no certificate in PEM. Export it as PEM, which begins with '-----BEGIN CERTIFICATE-----'; DER is not read",
            ));
        }
        let mut store = RootCertStore::empty();
        for certificate in &found {
            store.add(certificate.clone()).map_err(|_| bad("holds a certificate that cannot be used. Name the certificate of the authority (X.509), not a key or a request"))?;
        }
        Ok(Self(found))
    }

    pub(super) fn certificates(&self) -> impl Iterator<Item = CertificateDer<'static>> {
        self.0.iter().cloned()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Opens a plain file, without waiting: a pipe might never be written to.
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
    fn a_pipe_that_nobody_writes_to_is_refused_at_once() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("ca.pem");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
        assert!(CaBundle::read(&pipe).unwrap_err().to_string().contains("cannot be read"));
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        let junk = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for (text, why) in [("", "no certificate"), ("hello", "no certificate"), (junk, "cannot be used")] {
            let error = CaBundle::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("network.ca"), "{error}");
        }
        assert!(CaBundle::read("/nowhere".as_ref()).is_err() && CaBundle::read("/".as_ref()).is_err());
    }
}
