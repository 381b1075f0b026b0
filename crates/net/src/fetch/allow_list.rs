//! The allow-list of URLs. Parsed URLs are compared, so the spelling does not matter.

use crate::net_error::{NetError, shown, shown_text};
use std::collections::HashSet;
use tgp_base::spelling::{did_you_mean, nearest};
use url::{Host, Url};

/// One entry of `allowedFetchUrls`.
#[derive(Debug, Clone)]
struct Entry {
    text: String,
    scheme: String,
    host: Host<String>,
    port: u16,
    segments: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub struct AllowList(Vec<Entry>);

impl AllowList {
    /// # Errors
    /// `BadEntry` for an entry that is not a plain http or https URL.
    pub fn parse(entries: &[String]) -> Result<Self, NetError> {
        entries.iter().map(|text| Entry::parse(text)).collect::<Result<_, _>>().map(Self)
    }

    /// # Errors
    /// `BadUrl`, `UserInfo` or `NotAllowed`.
    pub fn check(&self, url: &Url) -> Result<(), NetError> {
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return Err(NetError::BadUrl { url: shown(url) });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(NetError::UserInfo { url: shown(url) });
        }
        if self.0.iter().any(|entry| entry.allows(url)) {
            return Ok(());
        }
        if self.0.is_empty() {
            return Err(NetError::NoNetwork);
        }
        let names: Vec<_> = self.0.iter().map(|entry| format!("'{}'", entry.text)).collect();
        let near = did_you_mean(self.near(url));
        Err(NetError::NotAllowed { url: shown(url), allowed: names.join(", "), near })
    }

    /// The entry with the most similar host, for a suggestion.
    fn near(&self, url: &Url) -> Option<&str> {
        let hosts: Vec<String> = self.0.iter().map(|entry| entry.host.to_string()).collect();
        let near = nearest(url.host_str()?, hosts.iter().map(String::as_str))?;
        self.0.iter().find(|entry| entry.host.to_string() == near).map(|entry| entry.text.as_str())
    }

    /// Allowed names of this machine, which may resolve to loopback addresses.
    pub fn local_names(&self) -> HashSet<String> {
        let names = self.0.iter().filter_map(|entry| match &entry.host {
            Host::Domain(name) if name == "localhost" || name.ends_with(".localhost") => Some(name.clone()),
            Host::Domain(_) | Host::Ipv4(_) | Host::Ipv6(_) => None,
        });
        names.collect()
    }
}

impl Entry {
    fn parse(text: &str) -> Result<Self, NetError> {
        let bad = |why| NetError::BadEntry { entry: shown_text(text), why };
        let url = Url::parse(text).map_err(|_| bad("is not an absolute URL, such as 'https://api.example.com/v1'"))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("must begin with http:// or https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("must not contain a user name or password"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(bad("must not contain a query or a fragment ('?' or '#')"));
        }
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(bad("has no host"));
        };
        Ok(Self {
            text: text.to_owned(),
            scheme: url.scheme().to_owned(),
            host: host.to_owned(),
            port,
            segments: segments(&url).map(str::to_owned).collect(),
        })
    }

    fn allows(&self, url: &Url) -> bool {
        url.scheme() == self.scheme
            && url.host().is_some_and(|host| host.to_owned() == self.host)
            && url.port_or_known_default() == Some(self.port)
            && self.allows_path(url)
    }

    fn allows_path(&self, url: &Url) -> bool {
        let mut path = segments(url);
        if !self.segments.iter().all(|segment| path.next() == Some(segment)) {
            return false;
        }
        // Some servers decode slashes before resolving `..`, so encoded slashes are refused below an allowed path.
        let hides = |segment: &str| {
            let lower = segment.to_ascii_lowercase();
            lower.contains("%2f") || lower.contains("%5c") || lower.contains("%25")
        };
        self.segments.is_empty() || !segments(url).any(hides)
    }
}

/// The segments of the path, without the empty one after a final slash.
fn segments(url: &Url) -> impl Iterator<Item = &str> {
    let path = url.path();
    let path = path.strip_prefix('/').unwrap_or(path).trim_end_matches('/');
    let is_root = path.is_empty();
    path.split('/').filter(move |_| !is_root)
}

#[cfg(test)]
mod tests {
    use super::AllowList;
    use tgp_base::error::{ErrorCode, PartError};
    use url::Url;

    fn list(entries: &[&str]) -> AllowList {
        AllowList::parse(&entries.iter().map(|&entry| entry.to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn scheme_host_and_port_match_exactly_and_the_path_by_segment() {
        let list = list(&["https://api.example.com/v1/", "http://127.0.0.1:3000", "https://xn--bcher-kva.example"]);
        for url in [
            "https://api.example.com/v1",
            "https://API.example.com:443/v1/charges?x=1#y",
            "https://api.example.com/a/../v1/x",
            "http://127.0.0.1:3000/any/thing",
            "http://0x7f.1:3000/",
            "http://2130706433:3000/",
            "https://bücher.example/",
        ] {
            assert!(list.check(&Url::parse(url).unwrap()).is_ok(), "{url}");
        }
        for url in [
            "http://api.example.com/v1",
            "https://api.example.com/v10",
            "https://api.example.com/",
            "https://api.example.com/v1/../v2",
            "https://api.example.com/v1/%2e%2e/v2",
            "https://api.example.com/v1/..%2fv2",
            "https://api.example.com/v1/x%5c..%5c..",
            "https://api.example.com/v1%2f..%2fv2",
            "https://api.example.com/v1/%252e%252e%252f",
            "https://api.example.com:444/v1",
            "https://api.example.com.evil.org/v1",
            "https://evil.org/https://api.example.com/v1",
            "https://api.example.com@evil.org/v1",
            "https://evil.org\\@api.example.com/v1",
            "https://user@api.example.com/v1",
            "https://api.example.com./v1",
            "https://sub.api.example.com/v1",
            "http://127.0.0.1:3001/",
            "http://127.0.0.2:3000/",
            "http://[::ffff:127.0.0.1]:3000/",
            "ftp://api.example.com/v1",
            "file:///etc/passwd",
            "data:text/plain,x",
        ] {
            let Ok(parsed) = Url::parse(url) else { continue };
            assert!(list.check(&parsed).is_err(), "{url}");
        }
    }

    #[test]
    fn invalid_entries_are_refused() {
        for entry in ["api.example.com", "*", "ftp://x", "https://a:b@x", "https://x?y", "https://x#y", "https://*.x y"]
        {
            let error = AllowList::parse(&[entry.to_owned()]).unwrap_err();
            assert_eq!(error.code(), ErrorCode::Config, "{entry}");
        }
    }

    #[test]
    fn a_refusal_does_not_repeat_secrets() {
        let error = list(&[]).check(&Url::parse("https://x.y/z?token=secret").unwrap()).unwrap_err().to_string();
        assert!(!error.contains("secret") && error.contains("Network access is disabled"), "{error}");
    }
}
