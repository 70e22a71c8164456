internal import BrasaDocuments

/// Where a conjunction's documents are among the suffixes of an index.
extension ConjunctionShape {
    package struct Suffixes: Sendable {
        /// Ascending, not overlapping.
        package var intervals: [KeyInterval]
        /// Whether all documents there belong to the conjunction, given the known parts.
        package var isExact: Bool
    }

    /// `resume` is a position in the query's order before which nothing is wanted.
    package func suffixes(start: KeyBound?, end: KeyBound?, resume: KeyBound?) -> Suffixes {
        var suffixes = self.suffixesOfTerms()
        // Most queries have none.
        if start == nil, end == nil, resume == nil { return suffixes }
        for (bound, isStart) in [(start, true), (resume, true), (end, false)] {
            guard let bound else { continue }
            guard let position = self.position(of: bound) else {
                suffixes.isExact = false
                continue
            }
            let interval =
                isStart == self.isReversed
                ? KeyInterval(start: .start, end: position) : KeyInterval(start: position, end: .end)
            suffixes.intervals = suffixes.intervals.intersection(interval)
        }
        return suffixes
    }

    private func suffixesOfTerms() -> Suffixes {
        guard let first = self.sortFields.first else { return self.suffixesOfNames() }
        var intervals = [KeyInterval.all]
        for term in self.terms where term.path == first.path {
            intervals = Self.restrict(intervals, term.condition) { value in
                KeyInterval.beginning(OrderPreservingKey(value).bytes)
            } whole: { valueClass in
                KeyInterval.beginning([valueClass.rawValue])
            }
        }
        if first.isDescending != self.isReversed { intervals = intervals.reversed().map(\.complemented) }
        // Terms on the fields behind the first leave gaps, and so do names, which come last.
        let isExact =
            self.names.lower == nil && self.names.upper == nil
            && self.terms.allSatisfy { term in
                switch term.condition {
                case .equal: !term.path.isDocumentName
                case .arrayContains: true
                default: term.path == first.path
                }
            }
        return Suffixes(intervals: intervals, isExact: isExact)
    }

    private func suffixesOfNames() -> Suffixes {
        var interval = KeyInterval.all
        if self.names.allDescendants, !self.names.parent.isRoot {
            let parent = OrderPreservingKey(self.names.parent).bytes
            interval = KeyInterval(start: .after(parent), end: .after(Array(parent.dropLast())))
        }
        if let lower = self.names.lower {
            let place = self.nameInterval(OrderPreservingKey(lower.path).bytes)
            interval.start = max(interval.start, lower.isInclusive ? place.start : place.end)
        }
        if let upper = self.names.upper {
            let place = self.nameInterval(OrderPreservingKey(upper.path).bytes)
            interval.end = min(interval.end, upper.isInclusive ? place.end : place.start)
        }
        var intervals = interval.isEmpty ? [] : [interval]
        for term in self.terms where term.path.isDocumentName {
            intervals = Self.restrict(intervals, term.condition) { value in
                guard case .reference(let name) = value else { return .all }
                return self.nameInterval(OrderPreservingKey(name.path).bytes)
            } whole: { _ in
                .all
            }
        }
        return Suffixes(intervals: intervals, isExact: true)
    }

    /// `place` is where the keys of a value are, `whole` where those of a class are.
    private static func restrict(
        _ intervals: [KeyInterval],
        _ condition: Term.Condition,
        place: (Value) -> KeyInterval,
        whole: (ValueClass) -> KeyInterval
    ) -> [KeyInterval] {
        var null: KeyInterval { .beginning([OrderPreservingKey.Tag.null]) }
        var nan: KeyInterval { .beginning([OrderPreservingKey.Tag.nan]) }
        switch condition {
        case .equal(let value): return intervals.intersection(place(value))
        case .arrayContains: return intervals
        case .range(let range):
            var interval = whole(range.valueClass)
            if let lower = range.lower {
                interval.start = lower.isInclusive ? place(lower.value).start : place(lower.value).end
            }
            if let upper = range.upper {
                interval.end = upper.isInclusive ? place(upper.value).end : place(upper.value).start
            }
            return intervals.intersection(interval)
        case .notEqual(let value): return intervals.subtracting(null).subtracting(place(value))
        case .notIn(let values):
            return values.reduce(intervals.subtracting(null)) { $0.subtracting(place($1)) }
        case .isNotNull: return intervals.subtracting(null)
        case .isNotNaN: return intervals.subtracting(null).subtracting(nan)
        }
    }
}
