//! A PostgreSQL server for tests, from Debian's packages.

use super::address::PostgresAddress;
use super::connection::Connection;
use super::deadline::{Deadline, LONG_LIMIT, OPEN_LIMIT};
use super::stream::TlsSettings;
use parking_lot::Mutex;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::thread::sleep;
use std::time::Duration;

const HBA: &str = "host all scram 127.0.0.1/32 scram-sha-256\nhost all open 127.0.0.1/32 password\n\
    host all old 127.0.0.1/32 md5\nhost all all 127.0.0.1/32 trust\n";

pub(crate) struct Server {
    folder: tempfile::TempDir,
    program: PathBuf,
    port: u16,
    child: Mutex<Child>,
    schemas: AtomicU32,
}

impl Server {
    /// The server shared by concurrent tests; `None` if PostgreSQL is not installed.
    pub(crate) fn shared() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock();
        if let Some(server) = shared.upgrade() {
            return Some(server);
        }
        let server = Arc::new(Self::start()?);
        *shared = Arc::downgrade(&server);
        Some(server)
    }

    /// A server that can be killed.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = program() else {
            #[expect(clippy::print_stderr, reason = "the line says why nothing was tested")]
            {
                eprintln!("SKIPPED: PostgreSQL is not installed (Debian package: postgresql).");
            }
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        give_to_postgres(folder.path());
        let data = folder.path().join("data");
        let init = program.with_file_name("initdb");
        let words = ["-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--locale=C", "-D"];
        run(as_postgres(&init, folder.path()).args(words).arg(&data));
        let subject = "subjectAltName=DNS:localhost,IP:127.0.0.1";
        let words =
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
        let names = ["-subj", "/CN=localhost", "-addext", subject, "-addext", "basicConstraints=critical,CA:FALSE"];
        let files = ["-keyout", "server.key", "-out", "server.crt"];
        run(as_postgres(Path::new("openssl"), folder.path()).args(words).args(names).args(files));
        fs::write(data.join("pg_hba.conf"), HBA).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Mutex::new(launch(&program, folder.path(), port));
        let server = Self { folder, program, port, child, schemas: AtomicU32::new(0) };
        server.wait();
        Some(server)
    }

    /// Kills the server, as after a machine failure.
    pub(crate) fn kill(&self) {
        let mut child = self.child.lock();
        let pid = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(pid, rustix::process::Signal::QUIT).unwrap();
        child.wait().unwrap();
    }

    pub(crate) fn restart(&self) {
        *self.child.lock() = launch(&self.program, self.folder.path(), self.port);
        self.wait();
    }

    fn wait(&self) {
        for _ in 0..600 {
            if Connection::open(&self.admin_address(), &self.tls(), Deadline::within(OPEN_LIMIT)).is_ok() {
                return;
            }
            sleep(Duration::from_millis(50));
        }
        panic!("the server did not start");
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// An address with a new schema.
    pub(crate) fn address(&self) -> String {
        let number = self.schemas.fetch_add(1, Ordering::Relaxed);
        format!("postgres://postgres@127.0.0.1:{}/postgres?schema=test_{number}", self.port)
    }

    fn admin_address(&self) -> PostgresAddress {
        PostgresAddress::parse(&format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)).unwrap()
    }

    /// Runs statements as superuser.
    pub(crate) fn admin(&self, statements: &[&str]) {
        let mut connection = Connection::open(&self.admin_address(), &self.tls(), Deadline::each(LONG_LIMIT)).unwrap();
        for statement in statements {
            connection.run(statement, &[]).unwrap_or_else(|failure| panic!("{statement}: {failure:?}"));
        }
    }

    /// TLS settings that trust this server.
    pub(crate) fn tls(&self) -> TlsSettings {
        let certificate = CertificateDer::from_pem_file(self.folder.path().join("server.crt")).unwrap();
        Arc::new(move || {
            let mut roots = RootCertStore::empty();
            roots.add(certificate.clone()).ok()?;
            Some(client_config(roots))
        })
    }
}

/// A client configuration that trusts these roots.
pub(crate) fn client_config(roots: RootCertStore) -> Arc<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    Arc::new(config.with_root_certificates(roots).with_no_client_auth())
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn program() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let programs = versions.flatten().map(|version| version.path().join("bin/postgres"));
    programs.filter(|program| program.exists()).max()
}

fn launch(program: &Path, folder: &Path, port: u16) -> Child {
    let shown = |path: &Path| path.to_str().unwrap().to_owned();
    let (data, port) = (shown(&folder.join("data")), port.to_string());
    let words = ["-D", &data, "-p", &port, "-k", &shown(folder), "-h", "127.0.0.1"].map(str::to_owned);
    let settings = [
        "fsync=off".to_owned(),
        "max_connections=60".to_owned(),
        "shared_buffers=32MB".to_owned(),
        "ssl=on".to_owned(),
        format!("ssl_cert_file={}", shown(&folder.join("server.crt"))),
        format!("ssl_key_file={}", shown(&folder.join("server.key"))),
    ];
    let settings = settings.iter().flat_map(|setting| ["-c", setting]);
    as_postgres(program, folder).args(words).args(settings).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A command as a user other than root, as PostgreSQL requires.
fn as_postgres(program: &Path, folder: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a server for tests")]
    let new = |name: &Path| Command::new(name);
    let mut command = if rustix::process::geteuid().is_root() {
        let mut command = new(Path::new("setpriv"));
        command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--"]).arg(program);
        command
    } else {
        new(program)
    };
    command.current_dir(folder).env("HOME", folder).env("LC_ALL", "C");
    command
}

fn give_to_postgres(folder: &Path) {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let user = users.lines().find(|line| line.starts_with("postgres:")).unwrap();
    let mut numbers = user.split(':').skip(2).map(|number| number.parse::<u32>().unwrap());
    chown(folder, numbers.next(), numbers.next()).unwrap();
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
