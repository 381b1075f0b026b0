//! GitHub and compatible servers.

use super::forge_api::ForgeApi;
use super::pull_request::{PullRequest, PullRequestState, PullRequestText};
use super::rest_client::{Method, RestClient};
use crate::git_error::GitError;
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

pub(super) struct GitHub {
    pub(super) client: RestClient,
    pub(super) project: String,
    /// Base URL of its pull requests on the web.
    pub(super) requests: String,
}

impl ForgeApi for GitHub {
    fn find(&self, branch: &str, base: &str) -> Result<Option<PullRequest>, GitError> {
        let owner = self.project.split('/').next().unwrap_or_default();
        let encode = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let path = format!(
            "/repos/{}/pulls?head={}&base={}&state=all&sort=created&direction=desc&per_page=1",
            self.project,
            encode(&format!("{owner}:{branch}")),
            encode(base)
        );
        let found =
            self.client.call(Method::Get, &path, None)?.map_err(|refusal| refusal.into_error("list pull requests"))?;
        found.get(0).map(|value| read(value, &self.requests)).transpose()
    }

    fn create(&self, branch: &str, base: &str, text: &PullRequestText) -> Result<PullRequest, GitError> {
        let body = json!({ "title": text.title, "body": text.body, "head": branch, "base": base });
        let made = self.client.call(Method::Post, &format!("/repos/{}/pulls", self.project), Some(&body))?;
        match made {
            Ok(value) => read(&value, &self.requests),
            // Another process created it, or the answer to an earlier attempt was lost.
            Err(refusal) if refusal.status == 422 => match self.find(branch, base)? {
                Some(found) if found.state == PullRequestState::Open => Ok(found),
                _ => Err(refusal.into_error("open the pull request")),
            },
            Err(refusal) => Err(refusal.into_error("open the pull request")),
        }
    }

    fn update(&self, number: u64, text: &PullRequestText) -> Result<(), GitError> {
        let body = json!({ "title": text.title, "body": text.body });
        let path = format!("/repos/{}/pulls/{number}", self.project);
        let done = self.client.call(Method::Patch, &path, Some(&body))?;
        done.map(drop).map_err(|refusal| refusal.into_error("update the pull request"))
    }
}

fn read(value: &Value, requests: &str) -> Result<PullRequest, GitError> {
    let is_open = value.get("state").and_then(Value::as_str) == Some("open");
    let state = if is_open { PullRequestState::Open } else { PullRequestState::Done };
    let number = value.get("number").and_then(Value::as_u64);
    PullRequest::read(number, value.get("html_url").and_then(Value::as_str), requests, state)
}
