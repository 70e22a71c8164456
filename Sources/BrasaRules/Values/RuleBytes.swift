package import BrasaDocuments

/// Bytes, often a part of a document's or of a name's, which are not copied.
package struct RuleBytes: Sendable {
    private enum Storage {
        case part(BytePart)
        /// Of texts in rules and of what evaluation makes.
        case array([UInt8], from: UInt32, to: UInt32)
    }

    private let storage: Storage

    /// Traps beyond 4 GiB, which neither requests nor what evaluation may make come near.
    package init(_ bytes: [UInt8]) {
        self.storage = .array(bytes, from: 0, to: UInt32(bytes.count))
    }

    init(_ part: BytePart) {
        self.storage = .part(part)
    }

    private init(_ storage: Storage) {
        self.storage = storage
    }

    var count: Int {
        switch self.storage {
        case .part(let part): part.count
        case .array(_, let from, let to): Int(to - from)
        }
    }

    /// A part of them, counted from the first, and clamped.
    func part(_ range: Range<Int>) -> RuleBytes {
        switch self.storage {
        case .part(let part): return RuleBytes(part.part(range))
        case .array(let bytes, let from, _):
            let range = range.clamped(to: 0..<self.count)
            let (lower, upper) = (from + UInt32(range.lowerBound), from + UInt32(range.upperBound))
            return RuleBytes(.array(bytes, from: lower, to: upper))
        }
    }

    /// To be paid for by whoever looks.
    func withUnsafeBytes<Output>(_ body: (UnsafeRawBufferPointer) -> Output) -> Output {
        switch self.storage {
        case .part(let part): part.withUnsafeBytes(body)
        case .array(let bytes, let from, let to):
            bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[Int(from)..<Int(to)])) }
        }
    }

    /// All of them, to be looked at as slowly as that. Copies what is an array.
    func all(_ pace: Work.Pace, _ work: inout Work) throws(EvaluationError) -> BytePart {
        try work.spend(bytes: self.count, pace)
        return switch self.storage {
        case .part(let part): part
        case .array: self.withUnsafeBytes { BytePart(ByteString($0)) }
        }
    }

    /// The first few, for people.
    func prefix(_ count: Int) -> [UInt8] { self.withUnsafeBytes { Array($0.prefix(min(count, 1_024))) } }

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
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { ByteOrder.firstMismatch(left, $0) }
        }
    }

    func byte(_ index: Int) -> UInt8 {
        precondition(index >= 0 && index < self.count, "a byte beyond the bytes")
        return self.withUnsafeBytes { $0[index] }
    }

    func hash(into hasher: inout Hasher, _ work: inout Work) throws(EvaluationError) {
        try work.spend(bytes: self.count, .each)
        self.withUnsafeBytes { hasher.combine(bytes: $0) }
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
            && self.bytes.withUnsafeBytes { bytes in
                bytes.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
            }
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
