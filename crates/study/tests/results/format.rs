//! Numbers as people read them.

use study::report::format::*;

#[test]
fn numbers_read_well() {
    assert_eq!([0, 999, 1_000, 8_980_000].map(grouped), ["0", "999", "1,000", "8,980,000"]);
    assert_eq!(grouped(u64::MAX), "18,446,744,073,709,551,615");
    assert_eq!(percent(1, 3), "33.3\u{a0}%");
    assert_eq!(percent(0, 0), "0.0\u{a0}%");
    assert_eq!(percent(u64::MAX, 1), "100.0\u{a0}%");
    assert_eq!(percent(1, 10_000), "<0.1\u{a0}%");
    assert_eq!(percent(9_999, 10_000), ">99.9\u{a0}%");
    let sizes = [999, 1_536, 3 << 20, u64::MAX].map(bytes);
    assert_eq!(
        sizes.join("|").replace('\u{a0}', " "),
        "999 B|1.5 KiB|3.0 MiB|17,179,869,183.9 GiB"
    );
    let times = [12, 1_250, 83_200, 7_260_000].map(duration);
    assert_eq!(times.join("|").replace('\u{a0}', " "), "12 ms|1.2 s|1 min 23 s|2 h 1 min");
    assert_eq!(shortened("aäbc", 3), "aä\u{2026}");
    assert_eq!(shortened("aäb", 3), "aäb");
}
