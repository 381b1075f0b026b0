//! The registry beside files that others change.

use super::{Look, RegistryFiles, ToolRegistry};
use crate::kernel::private_files::PrivateFiles;
use crate::kernel::work_pool::WorkPool;
use std::sync::Arc;
use std::time::Duration;
use tgp_compile::Compiler;
use tgp_vfs::{DiskVfs, JailPath, MemoryVfs, Vfs};

#[test]
fn a_tool_that_somebody_saw_before_it_was_registered_is_in_meta_json_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let root = Arc::new(DiskVfs::open(folder.path()).unwrap());
    let private = PrivateFiles(Arc::new(MemoryVfs::new()));
    let tools = Arc::clone(&root) as Arc<dyn Vfs>;
    let files = RegistryFiles { tools, meta: Arc::clone(&root), shared_meta: None, private };
    let registry = ToolRegistry::new(files, Arc::new(Compiler::new()));
    let path = JailPath::parse("tools/a.ts").unwrap();
    root.write(&path, "export default () => 1\n").unwrap();
    registry.refresh(Look::Quick).unwrap();
    let meta = registry.register(&path).unwrap().unwrap();
    assert!(meta.text.contains("tools/a.ts"));
    registry.meta_was_committed(&meta);
    assert!(registry.register(&path).unwrap().is_none(), "nothing has changed since");
}

#[test]
fn looks_of_one_pool_do_not_wait_for_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let root = Arc::new(DiskVfs::open(folder.path()).unwrap());
    let private = PrivateFiles(Arc::new(MemoryVfs::new()));
    let tools = Arc::clone(&root) as Arc<dyn Vfs>;
    let files = RegistryFiles { tools, meta: Arc::clone(&root), shared_meta: None, private };
    let registry = ToolRegistry::new(files, Arc::new(Compiler::new()));
    for number in 0..200 {
        let path = JailPath::parse(&format!("tools/t{number}.ts")).unwrap();
        root.write(&path, &format!("export default () => {number}\n")).unwrap();
    }
    let pool = WorkPool::new("tgp-test", 2);
    let (sender, receiver) = std::sync::mpsc::channel();
    for _ in 0..50 {
        let (registry, sender) = (Arc::clone(&registry), sender.clone());
        let spawned = pool.spawn((), move || {
            registry.refresh(Look::Thorough).unwrap();
            sender.send(registry.list().unwrap().len()).unwrap();
        });
        assert!(spawned.is_ok());
    }
    for _ in 0..50 {
        assert_eq!(receiver.recv_timeout(Duration::from_secs(120)), Ok(200));
    }
}

#[test]
fn what_is_registered_while_files_are_looked_at_in_the_background_stays() {
    let folder = tempfile::tempdir().unwrap();
    let root = Arc::new(DiskVfs::open(folder.path()).unwrap());
    let private = PrivateFiles(Arc::new(MemoryVfs::new()));
    let tools = Arc::clone(&root) as Arc<dyn Vfs>;
    let files = RegistryFiles { tools, meta: Arc::clone(&root), shared_meta: None, private };
    let registry = ToolRegistry::new(files, Arc::new(Compiler::new()));
    let write = |name: &str| {
        let path = JailPath::parse(&format!("tools/{name}.ts")).unwrap();
        root.write(&path, "export default () => 1\n").unwrap();
        path
    };
    for number in 0..=super::MANY {
        write(&format!("t{number}"));
    }
    registry.refresh(Look::Quick).unwrap();
    let first = registry.version().unwrap();
    let age = || registry.state.lock().looked = std::time::Instant::now().checked_sub(Duration::from_secs(2));
    for number in 0..20 {
        age();
        // Begins a look, which may list the files before or after each of these.
        drop(registry.fresh().unwrap());
        let gone = JailPath::parse(&format!("tools/t{number}.ts")).unwrap();
        root.remove(&gone).unwrap();
        let _meta = registry.register(&gone).unwrap();
        let _meta = registry.register(&write(&format!("new{number}"))).unwrap();
        assert_eq!(registry.list().unwrap().len(), super::MANY + 1);
    }
    write("by_hand");
    age();
    drop(registry.fresh().unwrap());
    let is_level = || {
        std::thread::sleep(Duration::from_millis(5));
        registry.state.lock().background.is_none()
    };
    assert!((0..2000).any(|_| is_level()), "the look ends");
    age();
    assert!(registry.one("tools/by_hand.ts").unwrap().is_some());
    let followed = registry.changes_since(Some(first)).unwrap().1.unwrap();
    assert!(followed.is_difference && followed.tools.len() == 21 && followed.removed.len() == 20);
    // Known changes are not answered with what was seen before them.
    write("by_hand_too");
    registry.expire();
    assert!(registry.one("tools/by_hand_too.ts").unwrap().is_some());
}

/// Each test has a process of its own, so the limit is this one's alone.
#[cfg(target_os = "linux")]
#[test]
fn a_tool_that_cannot_be_read_now_is_not_forgotten() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use std::fs::read_dir;

    let folder = tempfile::tempdir().unwrap();
    let root = Arc::new(DiskVfs::open(folder.path()).unwrap());
    let private = PrivateFiles(Arc::new(MemoryVfs::new()));
    let tools = Arc::clone(&root) as Arc<dyn Vfs>;
    let files = RegistryFiles { tools, meta: Arc::clone(&root), shared_meta: None, private };
    let registry = ToolRegistry::new(files, Arc::new(Compiler::new()));
    // So many are read by several threads: then reading takes more descriptors than listing.
    let paths: Vec<_> = (0..80).map(|n| JailPath::parse(&format!("tools/a/b/t{n}.ts")).unwrap()).collect();
    let write = |text: &str| paths.iter().for_each(|path| root.write_restorable(path, text).unwrap());
    write("export default () => 1\n");
    registry.refresh(Look::Thorough).unwrap();
    let limit = getrlimit(Resource::Nofile);
    let open = read_dir("/proc/self/fd").unwrap().count() as u64;
    let mut outcomes = Vec::new();
    for free in 0..6 {
        write(&format!("export default () => {free}\n"));
        setrlimit(Resource::Nofile, Rlimit { current: Some(open - 1 + free), maximum: limit.maximum }).unwrap();
        let looked = registry.refresh(Look::Thorough);
        setrlimit(Resource::Nofile, Rlimit { current: limit.current, maximum: limit.maximum }).unwrap();
        assert_eq!(registry.list().unwrap().len(), paths.len(), "with {free} free descriptors: {looked:?}");
        outcomes.push(looked.is_ok());
    }
    assert!(outcomes.contains(&false) && outcomes.contains(&true), "{outcomes:?}");
}
