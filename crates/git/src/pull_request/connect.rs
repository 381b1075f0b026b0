//! Creates the pull request API client for a remote.

use super::bitbucket::Bitbucket;
use super::forge_api::ForgeApi;
use super::github::GitHub;
use super::gitlab::GitLab;
use super::rest_client::RestClient;
use crate::git_error::GitError;
use crate::remote::remote_options::RemoteOptions;
use crate::remote::remote_url::Provider;
use std::time::Duration;

/// The API client for the host of the remote.
pub(crate) fn connect(remote: &RemoteOptions, time: Duration) -> Result<Box<dyn ForgeApi>, GitError> {
    let RemoteOptions { provider, url, api_base, token, http, halt, .. } = remote;
    let missing = GitError::BadRemote {
        reason: "pull requests need git.provider github, gitlab or bitbucket and git.repo as owner/name or an address",
    };
    let (Some(project), Some(origin)) = (url.project.clone(), url.origin.as_deref()) else { return Err(missing) };
    let client = |default: String| {
        RestClient::new(api_base.as_deref().unwrap_or(&default), *provider, token.clone(), http, halt.clone(), time)
    };
    match provider {
        Provider::Plain => Err(missing),
        Provider::GitHub => {
            let default = match origin {
                "https://github.com" => "https://api.github.com".to_owned(),
                other => format!("{other}/api/v3"),
            };
            let requests = format!("{origin}/{project}/pull");
            Ok(Box::new(GitHub { client: client(default)?, project, requests }))
        }
        Provider::GitLab => {
            let requests = format!("{origin}/{project}/-/merge_requests");
            Ok(Box::new(GitLab { client: client(format!("{origin}/api/v4"))?, project, requests }))
        }
        Provider::Bitbucket => {
            let requests = format!("{origin}/{project}/pull-requests");
            Ok(Box::new(Bitbucket { client: client("https://api.bitbucket.org/2.0".to_owned())?, project, requests }))
        }
    }
}
