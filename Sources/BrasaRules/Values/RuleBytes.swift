package import BrasaDocuments

/// Bytes, often a part of a document's, which are not copied.
package struct RuleBytes: Sendable {
    private let part: BytePart

    package init(_ bytes: [UInt8]) {
        self.part = BytePart(bytes)
    }

    init(_ part: BytePart) {
        self.part = part
    }

    var count: Int { self.part.count }

    /// A part of them, counted from the first.
    func part(_ range: Range<Int>) -> RuleBytes { RuleBytes(self.part.part(range)) }

    /// All of them, to be looked at as slowly as that.
    func all(_ pace: Work.Pace, _ work: inout Work) throws(EvaluationError) -> BytePart {
        try work.spend(bytes: self.count, pace)
        return self.part
    }

    /// The first few, for people.
    func prefix(_ count: Int) -> BytePart { self.part.prefix(min(count, 1_024)) }

    static func equal(_ left: RuleBytes, _ right: RuleBytes, _ work: inout Work) throws(EvaluationError) -> Bool {
        guard left.count == right.count else { return false }
        return try self.firstMismatch(left, right, &work) == left.count
    }

    static func compare(
        _ left: RuleBytes,
        _ right: RuleBytes,
        _ work: inout Work
    ) throws(EvaluationError) -> Ordering {
        let mismatch = try self.firstMismatch(left, right, &work)
        guard mismatch < left.count, mismatch < right.count else { return Ordering(left.count, right.count) }
        return Ordering(left.byte(mismatch), right.byte(mismatch))
    }

    /// Where the two part, or the length of the shorter one.
    static func firstMismatch(
        _ left: RuleBytes,
        _ right: RuleBytes,
        _ work: inout Work
    ) throws(EvaluationError) -> Int {
        try work.spend(bytes: min(left.count, right.count), .block)
        return left.part.withUnsafeBytes { left in
            right.part.withUnsafeBytes { ByteOrder.firstMismatch(left, $0) }
        }
    }

    func byte(_ index: Int) -> UInt8 { self.part[self.part.startIndex + index] }

    func hash(into hasher: inout Hasher, _ work: inout Work) throws(EvaluationError) {
        let bytes = try self.all(.each, &work)
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

/// Valid UTF-8, compared byte by byte.
package struct RuleText: Sendable {
    let bytes: RuleBytes

    package init(_ text: UTF8Text) {
        self.bytes = RuleBytes(text.bytes)
    }

    /// For bytes that are valid UTF-8 because of where they come from.
    init(validated bytes: RuleBytes) {
        self.bytes = bytes
    }

    init(validated bytes: [UInt8]) { self.init(validated: RuleBytes(bytes)) }

    func all(_ pace: Work.Pace, _ work: inout Work) throws(EvaluationError) -> BytePart {
        try self.bytes.all(pace, &work)
    }

    static func equal(_ left: RuleText, _ right: RuleText, _ work: inout Work) throws(EvaluationError) -> Bool {
        try RuleBytes.equal(left.bytes, right.bytes, &work)
    }

    func isEqual(to text: StaticString) -> Bool {
        self.bytes.count == text.utf8CodeUnitCount
            && self.bytes.prefix(text.utf8CodeUnitCount).elementsEqual(
                UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            )
    }

    /// For people: cut off where it grows long.
    package var excerpt: String { self.excerpt(200) }

    func excerpt(_ count: Int) -> String {
        var end = self.bytes.prefix(count)
        let isWhole = end.count == self.bytes.count
        while !isWhole, let last = end.last, last >= 0x80 {
            end.removeLast()
            if last >= 0xC0 { break }
        }
        return String(decoding: end, as: UTF8.self) + (isWhole ? "" : "…")
    }
}

extension RuleText: ExpressibleByStringLiteral {
    package init(stringLiteral value: StaticString) {
        self.init(UTF8Text(stringLiteral: value))
    }
}
