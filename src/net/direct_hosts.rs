//! Hosts that are reached without a proxy, where they are written with `*.` before a name.
//!
//! Many programs understand that; the client knows only the name itself, with or without a dot before it.

use url::Url;

/// An entry in the words of `NO_PROXY`, as the client understands it.
pub(super) fn as_client_knows(entry: &str) -> &str {
    let entry = entry.trim();
    if entry.starts_with("*.") { entry.trim_start_matches('*') } else { entry }
}

/// Names whose hosts the environment wants reached directly, and the client does not see.
#[derive(Default)]
pub(super) struct DirectHosts(Vec<String>);

impl DirectHosts {
    pub(super) fn of_environment() -> Self {
        #[expect(clippy::disallowed_methods, reason = "the client reads the same variables, in the same order")]
        let list = ["NO_PROXY", "no_proxy"].into_iter().find_map(|name| std::env::var(name).ok());
        Self::parse(&list.unwrap_or_default())
    }

    fn parse(list: &str) -> Self {
        let names = list.split(',').filter_map(|entry| entry.trim().strip_prefix("*."));
        Self(names.filter(|name| !name.is_empty()).map(str::to_ascii_lowercase).collect())
    }

    /// Whether one of the names is the host's, or one above it.
    pub(super) fn contains(&self, url: &Url) -> bool {
        let Some(host) = url.domain() else { return false };
        let is_below = |name: &String| host.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with('.'));
        self.0.iter().any(|name| host == name || is_below(name))
    }
}

#[cfg(test)]
mod tests {
    use super::{DirectHosts, as_client_knows};
    use url::Url;

    #[test]
    fn a_star_stands_for_every_host_below_a_name() {
        let hosts = DirectHosts::parse("plain.example, *.Corp.example ,*,*.");
        let contains = |url| hosts.contains(&Url::parse(url).unwrap());
        for url in ["https://git.corp.example/a", "http://a.b.corp.example:8080/", "https://corp.example/"] {
            assert!(contains(url), "{url}");
        }
        for url in ["https://notcorp.example/", "https://plain.example/", "https://corp.example.org/", "http://[::1]/"]
        {
            assert!(!contains(url), "{url}");
        }
        for (entry, known) in [("*.x.org", ".x.org"), (" *.x.org", ".x.org"), ("*", "*"), (".x", ".x"), ("x", "x")] {
            assert_eq!(as_client_knows(entry), known);
        }
    }
}
