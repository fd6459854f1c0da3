//! The CPU quota of this process's cgroup.

#[cfg(target_os = "linux")]
use std::{fs, path::Path};
use std::{path::PathBuf, time::Duration};

#[cfg(target_os = "linux")]
use crate::group::own_group;

/// A CPU quota, as set for containers (`cpu.max`, or `cpu.cfs_quota_us` in cgroup v1).
#[derive(Clone, Debug, PartialEq)]
pub struct CpuQuota {
    /// The quota in cores, such as 1.5.
    pub cores: f64,
    /// The cgroup that has the quota.
    folder: PathBuf,
}

impl CpuQuota {
    /// Returns the smallest quota among this process's cgroups; `None` if there is no quota.
    pub fn of_this_process() -> Option<Self> {
        #[cfg(target_os = "linux")]
        {
            let groups = ["", "cpu"].into_iter().filter_map(own_group);
            let quotas = groups.flat_map(|(mount, own)| Self::within(&mount, &own));
            quotas.min_by(|one, other| one.cores.total_cmp(&other.cores))
        }
        #[cfg(not(target_os = "linux"))]
        None
    }

    #[cfg(target_os = "linux")]
    fn within(mount: &Path, own: &Path) -> Vec<Self> {
        let groups = own.ancestors().take_while(|group| group.starts_with(mount));
        let quotas = groups.filter_map(|group| {
            let cores = quota_v2(group).or_else(|| quota_v1(group))?;
            let folder = group.to_owned();
            Some(Self { cores, folder })
        });
        quotas.collect()
    }

    /// Returns the total time for which the quota has throttled processes.
    pub fn throttled(&self) -> Duration {
        let stat = std::fs::read_to_string(self.folder.join("cpu.stat")).unwrap_or_default();
        let mut times = stat.lines().filter_map(|line| {
            let (name, value) = line.split_once(' ')?;
            let value = value.trim().parse().ok()?;
            match name {
                "throttled_usec" => Some(Duration::from_micros(value)),
                "throttled_time" => Some(Duration::from_nanos(value)),
                _ => None,
            }
        });
        times.next().unwrap_or_default()
    }
}

#[cfg(target_os = "linux")]
fn quota_v2(group: &Path) -> Option<f64> {
    let text = fs::read_to_string(group.join("cpu.max")).ok()?;
    let (quota, period) = text.split_once(' ')?;
    cores_of(quota, period)
}

#[cfg(target_os = "linux")]
fn quota_v1(group: &Path) -> Option<f64> {
    let read = |name: &str| fs::read_to_string(group.join(name)).ok();
    cores_of(&read("cpu.cfs_quota_us")?, &read("cpu.cfs_period_us")?)
}

/// Converts a quota and its period to cores; `None` for `max` and -1.
#[cfg(target_os = "linux")]
fn cores_of(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (u32, u32) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    (period > 0).then(|| f64::from(quota) / f64::from(period))
}

#[cfg(target_os = "linux")]
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        fs::create_dir_all(folder).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), text).unwrap();
        }
    }

    #[test]
    fn quota_and_throttled_time_are_read_from_both_cgroup_versions() {
        let mount = tempfile::tempdir().unwrap();
        let own = mount.path().join("pod/container");
        write(mount.path(), &[("cpu.max", "max 100000\n")]);
        write(
            &mount.path().join("pod"),
            &[
                ("cpu.max", "150000 100000\n"),
                (
                    "cpu.stat",
                    "usage_usec 9\nnr_throttled 3\nthrottled_usec 1500000\n",
                ),
            ],
        );
        write(
            &own,
            &[
                ("cpu.cfs_quota_us", "200000\n"),
                ("cpu.cfs_period_us", "100000\n"),
                (
                    "cpu.stat",
                    "nr_periods 9\nnr_throttled 3\nthrottled_time 2000000000\n",
                ),
            ],
        );
        let quotas = CpuQuota::within(mount.path(), &own);
        let read: Vec<_> = quotas
            .iter()
            .map(|quota| (quota.cores, quota.throttled().as_millis()))
            .collect();
        assert_eq!(read, [(2.0, 2_000), (1.5, 1_500)]);
        write(&own, &[("cpu.cfs_quota_us", "-1\n")]);
        assert_eq!(CpuQuota::within(mount.path(), &own).len(), 1);
    }
}
