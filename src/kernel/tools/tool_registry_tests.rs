//! The registry with concurrent changes of files.

use super::{RegistryFiles, Scan, ToolRegistry};
use crate::kernel::private_files::PrivateFiles;
use crate::kernel::work_pool::WorkPool;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tgp_compile::Compiler;
use tgp_vfs::{DiskVfs, JailPath, MemoryVfs, Vfs};

/// A registry of an empty folder, which is deleted with the first value.
fn registry_on_disk() -> (TempDir, Arc<DiskVfs>, Arc<ToolRegistry>) {
    let folder = tempfile::tempdir().unwrap();
    let root = Arc::new(DiskVfs::open(folder.path()).unwrap());
    let private = PrivateFiles(Arc::new(MemoryVfs::new()));
    let tools = Arc::clone(&root) as Arc<dyn Vfs>;
    let files = RegistryFiles { tools, meta: Arc::clone(&root), shared_meta: None, private };
    (folder, root, ToolRegistry::new(files, Arc::new(Compiler::new())))
}

#[test]
fn a_tool_that_was_scanned_before_its_registration_is_in_meta_json() {
    let (_folder, root, registry) = registry_on_disk();
    let path = JailPath::parse("tools/a.ts").unwrap();
    root.write(&path, "export default () => 1\n").unwrap();
    registry.refresh(Scan::Quick).unwrap();
    let meta = registry.register(&path).unwrap().unwrap();
    assert!(meta.text.contains("tools/a.ts"));
    registry.meta_was_committed(&meta);
    assert!(registry.register(&path).unwrap().is_none(), "nothing has changed since");
}

#[test]
fn scans_on_one_pool_do_not_deadlock() {
    let (_folder, root, registry) = registry_on_disk();
    for number in 0..200 {
        let path = JailPath::parse(&format!("tools/t{number}.ts")).unwrap();
        root.write(&path, &format!("export default () => {number}\n")).unwrap();
    }
    let pool = WorkPool::new("tgp-test", 2);
    let (sender, receiver) = std::sync::mpsc::channel();
    for _ in 0..50 {
        let (registry, sender) = (Arc::clone(&registry), sender.clone());
        let spawned = pool.spawn((), move || {
            registry.refresh(Scan::Thorough).unwrap();
            sender.send(registry.list().unwrap().len()).unwrap();
        });
        assert!(spawned.is_ok());
    }
    for _ in 0..50 {
        assert_eq!(receiver.recv_timeout(Duration::from_secs(120)), Ok(200));
    }
}

#[test]
fn registrations_during_a_background_scan_are_kept() {
    let (_folder, root, registry) = registry_on_disk();
    let write = |name: &str| {
        let path = JailPath::parse(&format!("tools/{name}.ts")).unwrap();
        root.write(&path, "export default () => 1\n").unwrap();
        path
    };
    for number in 0..=super::MANY {
        write(&format!("t{number}"));
    }
    registry.refresh(Scan::Quick).unwrap();
    let first = registry.version().unwrap();
    let age = || registry.state.lock().scanned = Instant::now().checked_sub(Duration::from_secs(2));
    for number in 0..20 {
        age();
        // Begins a scan, which may list the files before or after each of these changes.
        drop(registry.fresh().unwrap());
        let removed = JailPath::parse(&format!("tools/t{number}.ts")).unwrap();
        root.remove(&removed).unwrap();
        let _meta = registry.register(&removed).unwrap();
        let _meta = registry.register(&write(&format!("new{number}"))).unwrap();
        assert_eq!(registry.list().unwrap().len(), super::MANY + 1);
    }
    write("by_hand");
    age();
    drop(registry.fresh().unwrap());
    let has_ended = || {
        std::thread::sleep(Duration::from_millis(5));
        registry.state.lock().background.is_none()
    };
    assert!((0..2000).any(|_| has_ended()), "the scan ends");
    age();
    assert!(registry.one("tools/by_hand.ts").unwrap().is_some());
    let followed = registry.changes_since(Some(first)).unwrap().1.unwrap();
    assert!(followed.is_difference && followed.tools.len() == 21 && followed.removed.len() == 20);
    // After `expire`, queries do not use the previous scan.
    write("by_hand_too");
    registry.expire();
    assert!(registry.one("tools/by_hand_too.ts").unwrap().is_some());
}

#[test]
fn a_confusable_of_a_tool_registered_during_a_scan_is_not_listed() {
    let (_folder, root, registry) = registry_on_disk();
    let write = |name: &str| {
        let path = JailPath::parse(&format!("tools/{name}.ts")).unwrap();
        root.write(&path, "export default () => 1\n").unwrap();
        path
    };
    write("other");
    registry.refresh(Scan::Quick).unwrap();
    write("Report");
    let noted = HashSet::from([write("report").as_str().to_owned()]);
    let files = registry.list_files().unwrap();
    registry.apply_listing(&mut registry.state.lock(), Scan::Quick, files, &noted, Instant::now()).unwrap();
    assert!(registry.one("tools/Report.ts").unwrap().is_none());
    assert_eq!(registry.state.lock().left_out, ["tools/Report.ts"]);
}

#[test]
fn the_entry_of_a_checked_text_is_registered_only_for_that_text() {
    let (_folder, root, registry) = registry_on_disk();
    let path = JailPath::parse("tools/a.ts").unwrap();
    registry.refresh(Scan::Quick).unwrap();
    let (checked, written) = ("/** Checked. */\nexport default () => 1\n", "/** Written. */\nexport default () => 2\n");
    for text in [checked, written, checked] {
        let entry = registry.entry_of(path.as_str(), checked);
        assert_eq!(entry.description, "Checked.");
        root.write(&path, text).unwrap();
        let _meta = registry.register(&path).unwrap();
        let (tool, _) = registry.one(path.as_str()).unwrap().unwrap();
        let expected = if text == checked { "Checked." } else { "Written." };
        assert_eq!((tool.description.as_str(), &tool.hash), (expected, &tgp_registry::ContentHash::of(text)));
    }
}

#[test]
fn pages_together_are_the_whole_list() {
    let (_folder, root, registry) = registry_on_disk();
    for number in 0..25 {
        let path = JailPath::parse(&format!("tools/t{number}.ts")).unwrap();
        root.write(&path, &format!("export default () => {number}\n")).unwrap();
    }
    let mut read: Vec<String> = Vec::new();
    loop {
        let (version, page) = registry.page(read.last().map(String::as_str), 10).unwrap();
        assert_eq!(version, registry.version().unwrap());
        if page.is_empty() {
            break;
        }
        assert!(page.len() <= 10);
        read.extend(page.into_iter().map(|tool| tool.path.clone()));
    }
    let listed: Vec<String> = registry.list().unwrap().into_iter().map(|(tool, _)| tool.path.clone()).collect();
    assert_eq!((read.len(), &read), (25, &listed));
}

/// Each test runs in its own process, so the limit does not affect others.
#[cfg(target_os = "linux")]
#[test]
fn a_tool_is_kept_when_file_descriptors_run_out() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use std::fs::read_dir;

    let (_folder, root, registry) = registry_on_disk();
    // Enough files for several threads, so that reading takes more descriptors than listing.
    let paths: Vec<_> = (0..80).map(|n| JailPath::parse(&format!("tools/a/b/t{n}.ts")).unwrap()).collect();
    let write = |text: &str| paths.iter().for_each(|path| root.write_restorable(path, text).unwrap());
    write("export default () => 1\n");
    registry.refresh(Scan::Thorough).unwrap();
    let limit = getrlimit(Resource::Nofile);
    let open = read_dir("/proc/self/fd").unwrap().count() as u64;
    let mut outcomes = Vec::new();
    for free in 0..6 {
        write(&format!("export default () => {free}\n"));
        setrlimit(Resource::Nofile, Rlimit { current: Some(open - 1 + free), maximum: limit.maximum }).unwrap();
        let scanned = registry.refresh(Scan::Thorough);
        setrlimit(Resource::Nofile, Rlimit { current: limit.current, maximum: limit.maximum }).unwrap();
        assert_eq!(registry.list().unwrap().len(), paths.len(), "with {free} free descriptors: {scanned:?}");
        outcomes.push(scanned.is_ok());
    }
    assert!(outcomes.contains(&false) && outcomes.contains(&true), "{outcomes:?}");
}
