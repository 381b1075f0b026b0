//! Selection of tools for bounded lists, and changes since a version. The cost depends on the size of the answer, not
//! on the number of tools.

use super::tool_registry::{Counted, ToolRegistry};
use std::collections::HashSet;
use std::sync::Arc;
use tgp_base::error::Error;
use tgp_registry::{Registry, ToolKind, ToolMeta, UseCounts};

/// Whether a caller may see the tool at a path.
pub type Shown<'s> = &'s dyn Fn(&str) -> bool;

/// A query for tools to offer by name.
#[derive(Debug)]
pub struct OfferQuery {
    /// The registry version when the caller began: tools changed since come first.
    pub after: u32,
    /// Paths of tools that are offered already.
    pub offered: Vec<String>,
    pub limit: usize,
    /// Whether to count all tools.
    pub counted: bool,
}

/// The tools, or their changes since a version.
pub struct ToolUpdate {
    /// Whether `tools` has only changed tools; otherwise every tool, sorted by path.
    pub is_difference: bool,
    pub tools: Vec<Arc<ToolMeta>>,
    pub removed: Vec<String>,
    pub left_out: Vec<String>,
}

impl ToolRegistry {
    /// The changes since a version, or every tool if that version is unknown; none if it is the current version.
    pub fn changes_since(&self, since: Option<u32>) -> Result<(u32, Option<ToolUpdate>), Error> {
        let state = self.fresh()?;
        let version = state.registry.version();
        if since == Some(version) {
            return Ok((version, None));
        }
        let left_out = state.left_out.clone();
        let difference = since.and_then(|since| state.registry.changes_since(since));
        let followed = match difference {
            Some(changes) => ToolUpdate {
                is_difference: true,
                tools: changes.tools.into_iter().map(Arc::clone).collect(),
                removed: changes.removed.into_iter().map(str::to_owned).collect(),
                left_out,
            },
            None => {
                let tools = state.registry.list().map(Arc::clone).collect();
                ToolUpdate { is_difference: false, tools, removed: Vec::new(), left_out }
            }
        };
        Ok((version, Some(followed)))
    }

    /// At most `limit` tools after path `after`, sorted by path, and their version.
    pub fn page(&self, after: Option<&str>, limit: usize) -> Result<(u32, Vec<Arc<ToolMeta>>), Error> {
        let state = self.fresh()?;
        let follows = |tool: &&Arc<ToolMeta>| after.is_none_or(|after| tool.path.as_str() > after);
        let tools = state.registry.list().filter(follows).take(limit).map(Arc::clone).collect();
        Ok((state.registry.version(), tools))
    }

    /// At most `limit` runnable, visible tools: first those changed after `version`, then those at `offered`, then the
    /// most used, then the others by path.
    pub fn most_useful(
        &self,
        version: u32,
        offered: &[String],
        limit: usize,
        is_shown: Shown<'_>,
    ) -> Result<Vec<Counted>, Error> {
        let state = self.fresh()?;
        let registry = &state.registry;
        let uses = self.uses.counts();
        let mut offered: Vec<&Arc<ToolMeta>> = offered.iter().filter_map(|path| registry.get(path)).collect();
        offered.sort_by_key(|tool| (std::cmp::Reverse(uses.of(&tool.path)), tool.path.as_str()));
        let mut ordered = registry.newest(version).chain(offered).chain(by_use(registry, &uses));
        Ok(taken(&mut ordered, limit, &uses, is_shown).0)
    }

    /// The `limit` most used runnable, visible tools.
    pub fn most_used(&self, limit: usize, is_shown: Shown<'_>) -> Result<Vec<Counted>, Error> {
        let state = self.fresh()?;
        let uses = self.uses.counts();
        let (mut tools, has_more) = taken(&mut by_use(&state.registry, &uses), limit, &uses, is_shown);
        if !has_more {
            tools.sort_by(|(left, _), (right, _)| left.path.cmp(&right.path));
        }
        Ok(tools)
    }

    /// The number of runnable tools, visible ones if there is a filter.
    pub fn count_runnable(&self, is_shown: Option<Shown<'_>>) -> Result<usize, Error> {
        let state = self.fresh()?;
        let Some(is_shown) = is_shown else { return Ok(state.registry.runnable()) };
        Ok(state.registry.list().filter(|tool| tool.kind == ToolKind::Tool && is_shown(&tool.path)).count())
    }

    /// The tools at `paths`, without missing ones.
    pub fn at(&self, paths: &[String]) -> Result<Vec<Counted>, Error> {
        let state = self.fresh()?;
        let uses = self.uses.counts();
        let counted = |path: &String| state.registry.get(path).map(|tool| (Arc::clone(tool), uses.of(path)));
        Ok(paths.iter().filter_map(counted).collect())
    }
}

/// Every tool, the most used first, the others by path.
fn by_use<'r>(registry: &'r Registry, uses: &UseCounts) -> impl Iterator<Item = &'r Arc<ToolMeta>> {
    let used: Vec<&Arc<ToolMeta>> = uses.most_used().into_iter().filter_map(|(path, _)| registry.get(path)).collect();
    used.into_iter().chain(registry.list())
}

/// The first `limit` distinct runnable, visible tools, and whether there are more.
fn taken(
    ordered: &mut dyn Iterator<Item = &Arc<ToolMeta>>,
    limit: usize,
    uses: &UseCounts,
    is_shown: Shown<'_>,
) -> (Vec<Counted>, bool) {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut tools = Vec::new();
    for tool in ordered {
        if tool.kind != ToolKind::Tool || !seen.insert(tool.path.as_str()) || !is_shown(&tool.path) {
            continue;
        }
        if tools.len() >= limit {
            return (tools, true);
        }
        tools.push((Arc::clone(tool), uses.of(&tool.path)));
    }
    (tools, false)
}
