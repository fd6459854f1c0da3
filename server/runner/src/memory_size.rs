//! Formats memory sizes in messages.

/// Formats a size in the largest binary unit that divides it, such as `512 MiB`.
pub(crate) fn memory_size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["bytes", "KiB", "MiB", "GiB"];
    let mut size = bytes;
    let mut unit = 0;
    while unit + 1 < UNITS.len() && size > 0 && size.is_multiple_of(1024) {
        size /= 1024;
        unit += 1;
    }
    format!("{size} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_the_largest_unit_that_fits() {
        assert_eq!(memory_size(1 << 29), "512 MiB");
        assert_eq!(memory_size(3 << 30), "3 GiB");
        assert_eq!(memory_size(1 << 44), "16384 GiB");
        assert_eq!(memory_size(1_500_000), "1500000 bytes");
        assert_eq!(memory_size(1536), "1536 bytes");
    }
}
