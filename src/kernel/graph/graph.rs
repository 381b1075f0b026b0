//! The graph of the root, and of other repositories that the application ingests. Opened by the first question.

use super::graph_question::{Asked, GraphAnswer, GraphQuestion};
use super::picture::{Picture, PictureFormat, draw};
use super::repository_source::{ActivitySource, RepositorySource};
use crate::kernel::door::Door;
use crate::kernel::visibility;
use parking_lot::{Mutex, RwLock, RwLockWriteGuard};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tgp_base::error::{Error, ErrorCode};
use tgp_compile::Compiler;
use tgp_git::{GitError, GitStore, Halt, HistoryReader};
use tgp_graph::{GraphLimits, GraphStore, QueryBudget, View};
use tgp_vfs::JailPath;

const FILE: &str = "graph.db";
/// The root, as the property `root` of its files.
const ROOT: &str = ".";
/// Most other repositories of one kernel.
const MAX_PROJECTS: usize = 64;

pub struct GraphDeps {
    pub git: Arc<GitStore>,
    pub door: Arc<Door>,
    pub compiler: Arc<Compiler>,
    /// The private folder of the root.
    pub folder: PathBuf,
    /// Paths of other repositories are relative to it.
    pub base_dir: PathBuf,
}

pub struct Graph {
    deps: GraphDeps,
    /// Set by `stop`: ends reading of histories, and queries.
    halt: Halt,
    cancelled: Arc<AtomicBool>,
    opened: RwLock<Option<Opened>>,
}

struct Opened {
    store: GraphStore,
    root: Repository,
    projects: Mutex<Vec<Arc<Repository>>>,
}

struct Repository {
    /// `.`, or the canonical path of its folder.
    key: String,
    /// The path as it was ingested.
    name: String,
    reader: HistoryReader,
}

/// What to ingest. Without a path, the root.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IngestRequest {
    project_path: Option<String>,
    commit_hash: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct IngestReport {
    /// The property `root` of its files.
    root: String,
    commit: String,
    commits_added: usize,
    files: usize,
}

impl Graph {
    #[must_use]
    pub fn new(deps: GraphDeps) -> Self {
        Self { deps, halt: Halt::default(), cancelled: Arc::default(), opened: RwLock::new(None) }
    }

    /// Answers a question, with the files that the caller of the current call may see.
    ///
    /// # Errors
    /// `Validation`, `NotFound`, `Limit`, `Ledger`, `Shutdown`, `Git`, `Io`.
    pub fn ask(&self, question: &GraphQuestion) -> Result<GraphAnswer, Error> {
        let asked = question.asked()?;
        self.with_opened(|opened| {
            let projects = opened.projects.lock().clone();
            let repository = self.find(opened, &projects, question)?;
            let source = self.source(repository, question.needs_activity());
            let view = opened.store.view(&repository.key, &source, question.commit.as_deref())?;
            let visible = |path: &str| repository.shows(path);
            match asked {
                Asked::Query(query) => self.query(&view, query, question, &visible),
                Asked::Impact(path) => Ok(GraphAnswer::Impact(view.impact(&repository.path(path)?, &visible)?)),
                Asked::History(path) => {
                    Ok(GraphAnswer::History { history: view.history(&repository.path(path)?, &visible)? })
                }
                Asked::Picture(format, path) => {
                    let path = path.map(|path| repository.path(path)).transpose()?;
                    self.picture(&view, format, path.as_deref(), &visible)
                }
            }
        })
    }

    /// Adds what is missing of a repository's history.
    ///
    /// # Errors
    /// `Validation`, `NotFound`, `Limit`, `Shutdown`, `Git`, `Io`.
    pub fn ingest(&self, request_json: &str) -> Result<IngestReport, Error> {
        let IngestRequest { project_path, commit_hash } = serde_json::from_str(request_json)
            .map_err(|error| Error::new(ErrorCode::Validation, format!("The request is not valid: {error}.")))?;
        self.with_opened(|opened| {
            let project = project_path.map(|path| self.project(opened, path)).transpose()?;
            let repository = project.as_deref().unwrap_or(&opened.root);
            let source = self.source(repository, false);
            let done = opened.store.ingest(&repository.key, &source, commit_hash.as_deref())?;
            Ok(IngestReport {
                root: repository.key.clone(),
                commit: done.commit,
                commits_added: done.commits_added,
                files: done.files,
            })
        })
    }

    /// Whether a query of the root's current commit has rows, with all files visible.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub fn has_rows(&self, query: &str, params: &Map<String, Value>) -> Result<bool, Error> {
        self.with_opened(|opened| {
            let source = self.source(&opened.root, true);
            let view = opened.store.view(&opened.root.key, &source, None)?;
            Ok(!view.query(query, params, &self.budget(), &|_| true)?.is_empty())
        })
    }

    /// The files of the root's current commit, sorted by path.
    ///
    /// # Errors
    /// `Limit`, `Shutdown`, `Git`, `Io`.
    pub fn files(&self) -> Result<Vec<String>, Error> {
        self.with_opened(|opened| {
            let Some(head) = opened.root.reader.head()? else { return Ok(Vec::new()) };
            Ok(opened.root.reader.files(&head)?.into_iter().map(|file| file.path).collect())
        })
    }

    /// Ends running questions, waits for them, and closes the cache. Later questions are refused.
    pub fn stop(&self) {
        self.cancelled.store(true, Ordering::Release);
        self.halt.set();
        *self.opened.write() = None;
    }

    fn query(
        &self,
        view: &View,
        query: &str,
        question: &GraphQuestion,
        visible: &dyn Fn(&str) -> bool,
    ) -> Result<GraphAnswer, Error> {
        let none = Map::new();
        let params = question.params.as_ref().unwrap_or(&none);
        Ok(GraphAnswer::Rows { results: view.query(query, params, &self.budget(), visible)? })
    }

    fn picture(
        &self,
        view: &View,
        format: PictureFormat,
        path: Option<&str>,
        visible: &dyn Fn(&str) -> bool,
    ) -> Result<GraphAnswer, Error> {
        let rows = |query: &str| view.query(query, &Map::new(), &self.budget(), visible);
        let picture = Picture::of(&rows, path)?;
        Ok(GraphAnswer::Picture { picture: draw(&picture, format), more: picture.more })
    }

    fn budget(&self) -> QueryBudget {
        QueryBudget { cancelled: Some(Arc::clone(&self.cancelled)), ..QueryBudget::default() }
    }

    fn with_opened<T>(&self, job: impl FnOnce(&Opened) -> Result<T, Error>) -> Result<T, Error> {
        let opened = self.opened.read();
        if let Some(opened) = &*opened {
            return job(opened);
        }
        drop(opened);
        let mut opened = self.opened.write();
        if self.cancelled.load(Ordering::Acquire) {
            return Err(Error::new(
                ErrorCode::Shutdown,
                "The kernel has been shut down. Call boot() to start it again.",
            ));
        }
        if opened.is_none() {
            *opened = Some(self.open()?);
        }
        let opened = RwLockWriteGuard::downgrade(opened);
        opened.as_ref().map_or_else(|| Err(Error::panicked()), job)
    }

    fn open(&self) -> Result<Opened, Error> {
        let GraphDeps { git, folder, .. } = &self.deps;
        let file = match git.check_writable() {
            Ok(()) => folder.join(FILE),
            // Built again by each kernel.
            Err(_) => PathBuf::from(":memory:"),
        };
        let reader = git.reader(&self.halt)?;
        let root = Repository { key: ROOT.to_owned(), name: ROOT.to_owned(), reader };
        Ok(Opened { store: GraphStore::open(&file, GraphLimits::default())?, root, projects: Mutex::default() })
    }

    /// Opens another repository, or finds it if it is open.
    fn project(&self, opened: &Opened, path: String) -> Result<Arc<Repository>, Error> {
        let (reader, folder) = self.deps.git.other_reader(&self.deps.base_dir.join(&path), &self.halt)?;
        if reader.head()?.is_none() {
            return Err(Error::new(ErrorCode::NotFound, "The repository has no commits yet."));
        }
        let key = folder.to_string_lossy().replace('\\', "/");
        let mut projects = opened.projects.lock();
        projects.retain(|known| known.key != key);
        if projects.len() >= MAX_PROJECTS {
            let text = format!("The graph has {MAX_PROJECTS} other repositories, the most that it supports.");
            return Err(Error::new(ErrorCode::Limit, text));
        }
        let project = Arc::new(Repository { key, name: path, reader });
        projects.push(Arc::clone(&project));
        Ok(project)
    }

    /// The repository of a question: the named one, or the one that has its commit.
    fn find<'r>(
        &self,
        opened: &'r Opened,
        projects: &'r [Arc<Repository>],
        question: &GraphQuestion,
    ) -> Result<&'r Repository, Error> {
        if let Some(root) = question.root.as_deref().filter(|root| *root != ROOT) {
            let found = projects.iter().find(|project| project.key == root || project.name == root);
            return found.map(|project| &**project).ok_or_else(|| {
                let text =
                    format!("'{root}' is not in the graph. Add it first: kernel.graph.ingest({{ projectPath }}).");
                Error::new(ErrorCode::NotFound, text).with("field", "root")
            });
        }
        let Some(commit) = &question.commit else { return Ok(&opened.root) };
        if question.root.is_none()
            && matches!(opened.root.reader.resolve(commit), Err(GitError::NoSuchCommit { .. }))
            && let Some(project) = projects.iter().find(|project| project.reader.resolve(commit).is_ok())
        {
            return Ok(project);
        }
        Ok(&opened.root)
    }

    fn source<'k>(&'k self, repository: &'k Repository, needs_activity: bool) -> RepositorySource<'k> {
        let GraphDeps { door, compiler, .. } = &self.deps;
        let activity = match (repository.key == ROOT, door.has_records(), needs_activity) {
            (false, ..) => ActivitySource::Nothing,
            (true, false, _) => ActivitySource::Off,
            (true, true, false) => ActivitySource::AsKnown,
            (true, true, true) => door.ledger().map_or(ActivitySource::Off, |ledger| ActivitySource::Ledger(ledger)),
        };
        RepositorySource { reader: &repository.reader, compiler, activity }
    }
}

impl Repository {
    /// Whether the caller may see one of its files. Rules name files of other repositories by their whole path.
    fn shows(&self, path: &str) -> bool {
        if self.key == ROOT { visibility::shows(path) } else { visibility::shows(&format!("{}/{path}", self.key)) }
    }

    /// The path as the graph has it. Names in other repositories need not be names that agents may write.
    fn path(&self, path: &str) -> Result<String, Error> {
        if self.key == ROOT {
            return Ok(JailPath::parse(path)?.as_str().to_owned());
        }
        let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        Ok(parts.join("/"))
    }
}
