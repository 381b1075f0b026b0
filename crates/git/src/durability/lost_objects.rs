//! Objects of the log that are not on the disk any more. Writing them again changes nothing else, so a write may do it at any point.

use super::damage;
use super::redo_log::{LoggedObject, Record, RedoLog};
use crate::git_error::GitError;
use git2::{ObjectType, Oid, Repository};

/// What `attempt` comes to; once more if it has failed for want of an object that the log has.
pub(crate) fn despite_losses<T>(
    repository: &Repository,
    log: Option<&RedoLog>,
    mut attempt: impl FnMut() -> Result<T, GitError>,
) -> Result<T, GitError> {
    match (attempt(), log) {
        (Err(error), Some(log)) if error.is_of_content() => {
            let mut records = log.records(repository.path()).map_err(GitError::io("read the log of commits"))?;
            damage::leave_out_moved(repository, &mut records);
            let restored = restore(repository, records.iter().flat_map(|record| &record.objects))?;
            if restored > 0 { attempt() } else { Err(error) }
        }
        (result, _) => result,
    }
}

/// Writes again what is not there of a log that is about to be emptied.
pub(crate) fn restore_missing(repository: &Repository, mut records: Vec<Record>) -> Result<(), GitError> {
    damage::leave_out_moved(repository, &mut records);
    let objects = records.iter().flat_map(|record| &record.objects);
    restore(repository, objects.filter(|object| !damage::is_there(repository, &object.id))).map(drop)
}

/// Writes those of `objects` again that cannot be read; how many there were.
pub(super) fn restore<'o>(
    repository: &Repository,
    objects: impl Iterator<Item = &'o LoggedObject>,
) -> Result<usize, GitError> {
    let mut restored = 0;
    for object in objects {
        let was_lost = restore_object(repository, object).map_err(|error| GitError::git("restore a commit", &error))?;
        restored += usize::from(was_lost);
    }
    Ok(restored)
}

/// Writes an object again if it cannot be read; whether that was so.
fn restore_object(repository: &Repository, object: &LoggedObject) -> Result<bool, git2::Error> {
    let id = Oid::from_str(&object.id)?;
    let odb = repository.odb()?;
    // A handle remembers what it has read.
    if damage::is_there(repository, &object.id) && odb.read(id).is_ok() {
        return Ok(false);
    }
    // A torn file would pass for the object itself.
    let _ = std::fs::remove_file(damage::loose_path(repository, &object.id));
    let kind = ObjectType::from_str(&object.kind).unwrap_or(ObjectType::Blob);
    odb.write(kind, &object.data).map(|_| true)
}
