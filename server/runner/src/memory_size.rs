//! Parses memory sizes in flags, and formats them in messages.

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

/// Parses a size in bytes: a whole number and an optional unit, K, M or G.
pub(crate) fn parse_memory_size(text: &str) -> Result<u64, String> {
    let (number, unit) = match text.find(|character: char| !character.is_ascii_digit()) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        _ => None,
    };
    let number: Option<u64> = number.parse().ok();
    shift
        .zip(number)
        .and_then(|(shift, number)| number.checked_mul(1 << shift))
        .ok_or_else(|| "expected a whole number with K, M or G, such as 512M or 2G".to_owned())
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

    #[test]
    fn a_size_has_a_unit_or_is_in_bytes() {
        assert_eq!(parse_memory_size("512M"), Ok(512 << 20));
        assert_eq!(parse_memory_size("2g"), Ok(2 << 30));
        assert_eq!(parse_memory_size("1048576"), Ok(1 << 20));
        for wrong in ["", "M", "1.5G", "-1", "512MB", "99999999999999G"] {
            assert!(parse_memory_size(wrong).is_err(), "{wrong}");
        }
    }
}
