//! The folder that the replays of ended matches are written to.

use std::{io, path::PathBuf, sync::Arc};

use tokio::fs;
use tracing::error;

/// A folder of replay files.
pub(crate) struct ReplayFolder {
    folder: PathBuf,
}

impl ReplayFolder {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Writes a replay as `MATCH_ID.replay.binpb`: under another name first, so that a file of
    /// that name is always whole.
    pub(crate) fn write(
        &self,
        match_id: &str,
        bytes: Arc<[u8]>,
    ) -> impl Future<Output = ()> + Send + use<> {
        let path = self.folder.join(format!("{match_id}.replay.binpb"));
        let unfinished = self.folder.join(format!("{match_id}.unfinished"));
        async move {
            let written: io::Result<()> = async {
                fs::write(&unfinished, &bytes).await?;
                fs::rename(&unfinished, &path).await
            }
            .await;
            if let Err(error) = written {
                error!(path = %path.display(), %error, "a replay could not be written");
            }
        }
    }
}
