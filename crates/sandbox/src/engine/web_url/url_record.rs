//! The URL record and its serialisation.

/// A parsed URL. Unless it is opaque, the path is a list of segments, each after a slash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebUrl {
    pub scheme: String,
    pub username: String,
    pub password: String,
    pub host: Option<String>,
    pub port: Option<u16>,
    pub path: String,
    pub is_opaque: bool,
    pub query: Option<String>,
    pub fragment: Option<String>,
}

/// The special schemes of the standard with their default ports.
pub fn default_port(scheme: &str) -> Option<Option<u16>> {
    match scheme {
        "http" | "ws" => Some(Some(80)),
        "https" | "wss" => Some(Some(443)),
        "ftp" => Some(Some(21)),
        "file" => Some(None),
        _ => None,
    }
}

pub fn is_special(scheme: &str) -> bool {
    default_port(scheme).is_some()
}

/// `C:` or `C|`.
pub fn is_drive_letter(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':' | b'|'] if letter.is_ascii_alphabetic())
}

impl WebUrl {
    pub fn is_special(&self) -> bool {
        is_special(&self.scheme)
    }

    pub fn is_file(&self) -> bool {
        self.scheme == "file"
    }

    pub fn has_credentials(&self) -> bool {
        !self.username.is_empty() || !self.password.is_empty()
    }

    /// Whether the URL cannot have a user, a password or a port.
    pub fn cannot_have_port(&self) -> bool {
        self.host.as_deref().is_none_or(str::is_empty) || self.is_file()
    }

    /// Removes the last segment. The drive letter of a file URL is kept.
    pub fn shorten_path(&mut self) {
        if !(self.is_file() && self.first_drive().is_some_and(|drive| drive.len() + 1 == self.path.len())) {
            self.path.truncate(self.path.rfind('/').unwrap_or(0));
        }
    }

    /// The first segment, if it is a normalised drive letter.
    pub fn first_drive(&self) -> Option<&str> {
        let first = self.path.strip_prefix('/')?.split('/').next()?;
        (is_drive_letter(first) && first.ends_with(':')).then_some(first)
    }

    pub fn port_text(&self) -> String {
        self.port.map(|port| port.to_string()).unwrap_or_default()
    }

    /// Host and port.
    pub fn host_text(&self) -> String {
        let host = self.host.as_deref().unwrap_or_default();
        match self.port {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// The part with its leading mark, or empty.
    pub fn search(&self) -> String {
        marked('?', self.query.as_deref())
    }

    /// The part with its leading mark, or empty.
    pub fn hash(&self) -> String {
        marked('#', self.fragment.as_deref())
    }

    pub fn href(&self) -> String {
        let mut out = format!("{}:", self.scheme);
        if self.host.is_some() {
            out.push_str("//");
            if self.has_credentials() {
                out.push_str(&self.username);
                if !self.password.is_empty() {
                    out.push(':');
                    out.push_str(&self.password);
                }
                out.push('@');
            }
            out.push_str(&self.host_text());
        } else if !self.is_opaque && self.path.starts_with("//") {
            // Two slashes would start a host.
            out.push_str("/.");
        }
        out.push_str(&self.path);
        for (mark, part) in [('?', &self.query), ('#', &self.fragment)] {
            if let Some(part) = part {
                out.push(mark);
                out.push_str(part);
            }
        }
        out
    }
}

fn marked(mark: char, part: Option<&str>) -> String {
    match part {
        None | Some("") => String::new(),
        Some(part) => format!("{mark}{part}"),
    }
}
