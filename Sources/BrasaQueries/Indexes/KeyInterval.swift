/// The keys between two places.
package struct KeyInterval: Hashable, Sendable {
    package var start: IndexPosition
    package var end: IndexPosition

    package init(start: IndexPosition, end: IndexPosition) {
        self.start = start
        self.end = end
    }

    package static let all = KeyInterval(start: .start, end: .end)

    /// The keys that begin with a part.
    package static func beginning(_ part: [UInt8]) -> KeyInterval {
        KeyInterval(start: .before(part), end: .after(part))
    }

    package var isEmpty: Bool { !(self.start < self.end) }

    package var complemented: KeyInterval {
        KeyInterval(start: self.end.complemented, end: self.start.complemented)
    }

    package func prefixed(by start: [UInt8]) -> KeyInterval {
        KeyInterval(start: self.start.prefixed(by: start), end: self.end.prefixed(by: start))
    }

    package func intersection(_ other: KeyInterval) -> KeyInterval {
        KeyInterval(start: max(self.start, other.start), end: min(self.end, other.end))
    }
}

extension [KeyInterval] {
    /// In each interval what `other` has as well.
    package func intersection(_ other: KeyInterval) -> [KeyInterval] {
        // What begins as the whole is cut once for most queries.
        if self.count == 1, self[0] == .all { return other.isEmpty ? [] : [other] }
        return self.map { $0.intersection(other) }.filter { !$0.isEmpty }
    }

    /// In each interval what `other` has not, in order.
    package func subtracting(_ other: KeyInterval) -> [KeyInterval] {
        self.flatMap { interval in
            [
                KeyInterval(start: interval.start, end: Swift.min(interval.end, other.start)),
                KeyInterval(start: Swift.max(interval.start, other.end), end: interval.end),
            ]
        }
        .filter { !$0.isEmpty }
    }
}
