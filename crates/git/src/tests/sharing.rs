//! Several kernels on one root and on separate roots, with one remote.

use super::test_repository::{PlainFiles, forge, git, options};
use crate::{
    CommitId, Delivery, Describe, GitStore, Halt, HttpClient, HttpExchange, HttpRequest, Provider, Published,
    Publisher, PullRequestText, PushRequest, RemoteOptions, RemoteUrl, WorkTree, open,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

struct NoHttp;

impl HttpClient for NoHttp {
    fn start(&self, _: HttpRequest) -> Result<HttpExchange, String> {
        Err("the remote is a folder".to_owned())
    }
}

struct NoText;

impl Describe for NoText {
    fn describe(&self, _: &[String]) -> PullRequestText {
        PullRequestText { title: String::new(), body: String::new() }
    }
}

struct Kernel {
    root: PathBuf,
    store: Arc<GitStore>,
    publisher: Publisher,
}

impl Kernel {
    fn boot(folder: &Path, root: &str) -> Self {
        let remote = RemoteOptions {
            provider: Provider::Plain,
            url: RemoteUrl::parse(Provider::Plain, "remote.git", None, folder).unwrap(),
            api_base: None,
            token: None,
            launcher: None,
            http: Arc::new(NoHttp),
            halt: Halt::default(),
        };
        let root = folder.join(root);
        fs::create_dir_all(&root).unwrap();
        let files: Arc<dyn WorkTree> = Arc::new(PlainFiles(root.clone()));
        let opened = open(&root, &options(), &files, &remote, || Box::new(NoText)).unwrap();
        Self { root, store: opened.store, publisher: Publisher::new(opened.upstream) }
    }

    fn commit(&self, path: &str) -> CommitId {
        forge(&self.root, &self.store, path, path.as_bytes()).id.unwrap()
    }

    fn publish(&self, path: &str, commit: CommitId) -> Published {
        let (sender, receiver) = mpsc::channel();
        let done = Box::new(move |published| sender.send(published).unwrap());
        self.publisher.submit(PushRequest { path: path.to_owned(), commit: Some(commit), done });
        receiver.recv().unwrap().unwrap()
    }
}

#[test]
fn a_commit_replayed_by_another_process_is_reported_with_its_new_id() {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "-q", "--bare", "-b", "main", "remote.git"]);
    let remote = folder.path().join("remote.git");
    let [one, other] = ["shared", "shared"].map(|root| Kernel::boot(folder.path(), root));
    let far = Kernel::boot(folder.path(), "far");
    far.commit("tools/far.ts");
    far.publisher.sync().unwrap();

    one.commit("tools/one.ts");
    let written = other.commit("tools/other.ts");
    one.commit("tools/other.ts.bak");
    // The process replays all three commits on the remote's, and adds one more.
    one.publisher.sync().unwrap();
    one.commit("tools/last.ts");
    one.publisher.sync().unwrap();

    let published = other.publish("tools/other.ts", written.clone());
    assert_eq!(published.delivery, Delivery::Remote);
    let reported = published.commit.unwrap();
    assert_ne!(reported, written, "it has been moved");
    let shown = git(&remote, &["show", "--format=%s", "--name-only", reported.as_str()]);
    assert_eq!(shown.split_whitespace().collect::<Vec<_>>(), ["Forge:", "tools/other.ts", "tools/other.ts"]);
}
