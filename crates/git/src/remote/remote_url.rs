//! Parsing of remote addresses: `owner/name`, https and ssh addresses, paths and `file://` addresses.

use super::credentials::Credentials;
use super::http::HttpClient;
use super::path_remote::PathRemote;
use super::remote::Remote;
use super::smart::{HttpConnection, SmartRemote, SshConnection};
use crate::git_error::GitError;
use crate::secret::Secret;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tgp_base::loopback::is_loopback;
use url::Url;

/// The Git host of a remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Any other host; without pull requests.
    Plain,
    GitHub,
    GitLab,
    Bitbucket,
}

/// A parsed remote address. `Debug` shows no secrets.
#[derive(Debug, Clone)]
pub struct RemoteUrl {
    address: Address,
    /// `owner/name` on the server, if known.
    pub(crate) project: Option<String>,
    /// Origin of the server, such as `https://github.com`.
    pub(crate) origin: Option<String>,
    user: Option<String>,
    password: Option<Secret>,
    provider: Provider,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Address {
    Path(PathBuf),
    Http(Url),
    Ssh(SshConnection),
}

impl RemoteUrl {
    /// Its name in messages, without local paths and secrets.
    pub(crate) fn named(&self) -> String {
        match &self.address {
            Address::Path(_) => "of git.repo".to_owned(),
            Address::Http(_) | Address::Ssh(_) => self.display(),
        }
    }

    /// Whether it is accessed over HTTP, and so possibly through a proxy.
    #[must_use]
    pub const fn is_http(&self) -> bool {
        matches!(self.address, Address::Http(_))
    }
}

impl Provider {
    const fn site(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::GitHub => Some("https://github.com"),
            Self::GitLab => Some("https://gitlab.com"),
            Self::Bitbucket => Some("https://bitbucket.org"),
        }
    }

    /// The user name for a token.
    const fn token_user(self) -> &'static str {
        match self {
            Self::Plain => "git",
            Self::GitHub => "x-access-token",
            Self::GitLab => "oauth2",
            Self::Bitbucket => "x-token-auth",
        }
    }
}

impl RemoteUrl {
    /// Parses an address. Relative paths are resolved against `base_dir`.
    ///
    /// # Errors
    /// `BadRemote`.
    pub fn parse(provider: Provider, repo: &str, api_base: Option<&str>, base_dir: &Path) -> Result<Self, GitError> {
        if let Some(site) = provider.site().filter(|_| is_project(repo)) {
            let site = match api_base {
                Some(api) => site_of_api(api)?,
                None => site.to_owned(),
            };
            let address = format!("{site}/{}.git", repo.trim_end_matches(".git"));
            return Self::parse(provider, &address, None, base_dir);
        }
        let at = |address| Self { address, project: None, origin: None, user: None, password: None, provider };
        if let Some(ssh) = scp_address(repo) {
            let host = ssh.host.rsplit('@').next().unwrap_or_default();
            let (origin, project) = (format!("https://{host}"), project_of(&ssh.path));
            return Ok(Self { origin: Some(origin), project, ..at(Address::Ssh(ssh)) });
        }
        let Ok(mut url) = Url::parse(repo) else { return Ok(at(Address::Path(base_dir.join(repo)))) };
        match url.scheme() {
            "file" => {
                let path = url.to_file_path().map_err(|()| bad("git.repo names another host; use file:///folder"))?;
                Ok(at(Address::Path(path)))
            }
            "ssh" => {
                let host = url.host_str().ok_or_else(|| bad("git.repo has no host; use ssh://user@host/path"))?;
                let user = Some(url.username()).filter(|user| !user.is_empty());
                let path = url.path().strip_prefix("/~").map_or(url.path(), |_| url.path().trim_start_matches('/'));
                let ssh = SshConnection {
                    host: user.map_or_else(|| host.to_owned(), |user| format!("{user}@{host}")),
                    port: url.port(),
                    path: path.to_owned(),
                    launcher: None,
                };
                let (origin, project) = (format!("https://{host}"), project_of(url.path()));
                Ok(Self { origin: Some(origin), project, ..at(Address::Ssh(ssh)) })
            }
            "http" | "https" => {
                let user = Some(url.username().to_owned()).filter(|user| !user.is_empty());
                let password = url.password().map(|text| Secret::new(text.to_owned()));
                url.set_username("")
                    .and_then(|()| url.set_password(None))
                    .map_err(|()| bad("git.repo is not a valid URL; use https://host/owner/name"))?;
                url.set_query(None);
                url.set_fragment(None);
                let (origin, project) = (url.origin().ascii_serialization(), project_of(url.path()));
                Ok(Self { origin: Some(origin), project, user, password, ..at(Address::Http(url)) })
            }
            // A drive letter of Windows looks like a scheme.
            scheme if scheme.len() == 1 => Ok(at(Address::Path(repo.into()))),
            _ => Err(bad("git.repo has an unknown scheme; use https://, ssh://, file:// or a path")),
        }
    }

    /// The address for `.git/config`, without secrets.
    pub(crate) fn display(&self) -> String {
        match &self.address {
            Address::Path(path) => path.to_string_lossy().into_owned(),
            Address::Http(url) => url.to_string(),
            Address::Ssh(ssh) => format!(
                "ssh://{}{}/{}",
                ssh.host,
                ssh.port.map(|port| format!(":{port}")).unwrap_or_default(),
                ssh.path.trim_start_matches('/')
            ),
        }
    }

    /// Creates the connection. A token is sent only over https, or to this machine.
    pub(crate) fn connect(
        &self,
        token: Option<&Secret>,
        http: &Arc<dyn HttpClient>,
        launcher: Option<&Path>,
    ) -> Result<Box<dyn Remote>, GitError> {
        match &self.address {
            Address::Path(path) => Ok(Box::new(PathRemote::new(path.clone()))),
            Address::Ssh(ssh) => {
                let launcher = launcher.map(Path::to_owned);
                Ok(Box::new(SmartRemote::new(SshConnection { launcher, ..ssh.clone() })))
            }
            Address::Http(url) => {
                let token = token.or(self.password.as_ref());
                if token.is_some() && url.scheme() == "http" && !is_loopback(url) {
                    return Err(bad("a token is not sent over http://; use https:// in git.repo"));
                }
                let user = self.user.clone().unwrap_or_else(|| self.provider.token_user().to_owned());
                let credentials = token.map(|token| Credentials { user, token: token.clone() });
                Ok(Box::new(SmartRemote::new(HttpConnection::new(url.as_str(), http, credentials))))
            }
        }
    }
}

fn bad(reason: &'static str) -> GitError {
    GitError::BadRemote { reason }
}

/// `owner/name`, and for GitLab also groups in groups.
fn is_project(repo: &str) -> bool {
    let name =
        |part: &str| !part.starts_with('.') && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    repo.contains('/') && repo.split('/').all(|part| !part.is_empty() && name(part))
}

fn project_of(path: &str) -> Option<String> {
    let path = path.trim_matches('/').trim_end_matches(".git");
    path.contains('/').then(|| path.to_owned())
}

/// The website of an API: `https://github.com` for `https://api.github.com`, `https://x` for `https://x/api/v3`.
fn site_of_api(api: &str) -> Result<String, GitError> {
    let url = Url::parse(api).map_err(|_| bad("git.apiBaseUrl is not a URL; use https://host/path"))?;
    Ok(url.origin().ascii_serialization().replacen("://api.", "://", 1))
}

/// `user@host:path`, the short form of an ssh address.
fn scp_address(repo: &str) -> Option<SshConnection> {
    let (host, path) = repo.split_once(':')?;
    let is_host = host.contains('@') && !host.contains(['/', '\\']) && !path.starts_with("//");
    is_host.then(|| SshConnection { host: host.to_owned(), port: None, path: path.to_owned(), launcher: None })
}

#[cfg(test)]
mod tests {
    use super::{Provider, RemoteUrl};
    use crate::{HttpClient, HttpExchange, HttpRequest, Secret};
    use std::path::Path;
    use std::sync::Arc;

    struct Nowhere;

    impl HttpClient for Nowhere {
        fn start(&self, _: HttpRequest) -> Result<HttpExchange, String> {
            Err(String::new())
        }
    }

    fn parse(provider: Provider, repo: &str) -> RemoteUrl {
        RemoteUrl::parse(provider, repo, None, Path::new("/app")).unwrap()
    }

    #[test]
    fn all_address_forms_are_parsed() {
        for (provider, repo, shown, project) in [
            (Provider::GitHub, "my-org/tools", "https://github.com/my-org/tools.git", Some("my-org/tools")),
            (Provider::GitLab, "a/b/c", "https://gitlab.com/a/b/c.git", Some("a/b/c")),
            (Provider::Bitbucket, "a/b", "https://bitbucket.org/a/b.git", Some("a/b")),
            (Provider::GitHub, "git@github.com:a/b.git", "ssh://git@github.com/a/b.git", Some("a/b")),
            (Provider::GitHub, "ssh://git@x.org:2222/a/b.git", "ssh://git@x.org:2222/a/b.git", Some("a/b")),
            (Provider::Plain, "https://u:p@x.org/a/b", "https://x.org/a/b", Some("a/b")),
            (Provider::Plain, "a/b", "/app/a/b", None),
            (Provider::GitHub, "./remote.git", "/app/./remote.git", None),
            (Provider::Plain, "/srv/r.git", "/srv/r.git", None),
            (Provider::Plain, "file:///srv/r%20x.git", "/srv/r x.git", None),
        ] {
            let url = parse(provider, repo);
            assert_eq!((url.display().as_str(), url.project.as_deref()), (shown, project), "{repo}");
        }
    }

    #[test]
    fn the_site_is_derived_from_the_api_address() {
        let parse = |api| RemoteUrl::parse(Provider::GitHub, "a/b", Some(api), Path::new("/")).unwrap().display();
        assert_eq!(parse("https://api.github.com"), "https://github.com/a/b.git");
        assert_eq!(parse("https://git.corp.example/api/v3"), "https://git.corp.example/a/b.git");
    }

    #[test]
    fn secrets_are_not_shown_and_not_sent_over_http() {
        let url = parse(Provider::Plain, "https://me:hunter2@x.org/a/b");
        assert!(!format!("{url:?} {}", url.display()).contains("hunter2"));
        let token = Secret::new("t".to_owned());
        let http: Arc<dyn HttpClient> = Arc::new(Nowhere);
        assert!(parse(Provider::Plain, "http://x.org/a/b").connect(Some(&token), &http, None).is_err());
        assert!(parse(Provider::Plain, "http://127.0.0.1:1/a/b").connect(Some(&token), &http, None).is_ok());
        assert!(RemoteUrl::parse(Provider::Plain, "ftp://x.org/a", None, Path::new("/")).is_err());
    }
}
