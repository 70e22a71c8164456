/// The keys of a page in order, packed into one array that versions of the page share as long as the keys are the same,
/// and that nodes read from one text share when they have the same keys.
///
/// Layout: the count, then where each key ends, as 16 bits little-endian; then the keys' bytes. A page has at most 32
/// keys of 768 bytes, so 16 bits are enough.
struct KeyTable: Sendable {
    private let storage: [UInt8]

    /// Keys laid bare for as long as the table is borrowed.
    struct View {
        fileprivate let base: UnsafePointer<UInt8>
        let count: Int

        fileprivate init(_ storage: UnsafeBufferPointer<UInt8>) {
            // A table has a count at least, and so an address.
            self.base = storage.baseAddress.unsafelyUnwrapped
            self.count = Int(storage[0]) | Int(storage[1]) << 8
        }

        subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
            let start = index == 0 ? 0 : self.end(index &- 1)
            let count = self.end(index) &- start
            return UnsafeBufferPointer(start: self.base + (2 &+ 2 &* self.count &+ start), count: count)
        }

        private func end(_ index: Int) -> Int {
            Int(self.base[2 &+ 2 &* index]) | Int(self.base[3 &+ 2 &* index]) << 8
        }

        /// Of all keys.
        var byteCount: Int { self.count == 0 ? 0 : self.end(self.count - 1) }

        /// Where the key is, or else where it would be.
        func find(_ probe: KeyOrder.Probe) -> (index: Int, isThere: Bool) {
            var low = 0
            var high = self.count
            while low < high {
                let middle = (low &+ high) / 2
                let order = KeyOrder.compare(probe, self[middle])
                if order == 0 { return (middle, true) }
                if order > 0 { low = middle &+ 1 } else { high = middle }
            }
            return (low, false)
        }
    }

    func withView<Output, Failure: Error>(
        _ body: (View) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        try self.storage.withUnsafeBufferPointer { storage throws(Failure) in try body(View(storage)) }
    }

    /// Puts keys into a table that is being made.
    struct Writer {
        fileprivate let base: UnsafeMutablePointer<UInt8>
        fileprivate let count: Int
        fileprivate var index = 0
        fileprivate var end = 0

        mutating func append(_ key: UnsafeBufferPointer<UInt8>) {
            if let start = key.baseAddress {
                (self.base + (2 + 2 * self.count + self.end)).update(from: start, count: key.count)
            }
            self.end += key.count
            self.base[2 + 2 * self.index] = UInt8(truncatingIfNeeded: self.end)
            self.base[3 + 2 * self.index] = UInt8(truncatingIfNeeded: self.end >> 8)
            self.index += 1
        }

        mutating func append(_ keys: View, _ range: Range<Int>) {
            for index in range { self.append(keys[index]) }
        }
    }

    /// `fill` appends exactly `count` keys of `byteCount` bytes together.
    init(count: Int, byteCount: Int, fill: (inout Writer) -> Void) {
        precondition(count <= Page.entriesMax + 1 && byteCount <= Int(UInt16.max), "a table of one page's keys")
        let size = 2 + 2 * count + byteCount
        self.storage = Array(unsafeUninitializedCapacity: size) { buffer, initialized in
            guard let base = buffer.baseAddress else { return }
            buffer.initialize(repeating: 0)
            base[0] = UInt8(truncatingIfNeeded: count)
            base[1] = UInt8(truncatingIfNeeded: count >> 8)
            var writer = Writer(base: base, count: count)
            fill(&writer)
            precondition(writer.index == count && writer.end == byteCount, "the keys that were announced")
            initialized = size
        }
    }

    var count: Int { self.withView(\.count) }

    func key(at index: Int) -> TreeKey {
        self.withView { TreeKey(checked: $0[index]) }
    }

    func find(_ probe: KeyOrder.Probe) -> (index: Int, isThere: Bool) {
        self.withView { $0.find(probe) }
    }
}

extension KeyTable {
    func inserting(_ key: UnsafeBufferPointer<UInt8>, at index: Int) -> KeyTable {
        self.withView { view in
            KeyTable(count: view.count + 1, byteCount: view.byteCount + key.count) {
                $0.append(view, 0..<index)
                $0.append(key)
                $0.append(view, index..<view.count)
            }
        }
    }

    func removing(at index: Int) -> KeyTable {
        self.withView { view in
            KeyTable(count: view.count - 1, byteCount: view.byteCount - view[index].count) {
                $0.append(view, 0..<index)
                $0.append(view, (index + 1)..<view.count)
            }
        }
    }

    func replacing(at index: Int, by key: UnsafeBufferPointer<UInt8>) -> KeyTable {
        self.withView { view in
            if CodeUnitOrder.areEqual(view[index], key) { return self }
            return KeyTable(count: view.count, byteCount: view.byteCount - view[index].count + key.count) {
                $0.append(view, 0..<index)
                $0.append(key)
                $0.append(view, (index + 1)..<view.count)
            }
        }
    }

    subscript(range: Range<Int>) -> KeyTable {
        self.withView { view in
            KeyTable(count: range.count, byteCount: range.reduce(0) { $0 + view[$1].count }) { $0.append(view, range) }
        }
    }

    /// Keys of two neighbouring pages from `range` of both together.
    static func joined(_ left: KeyTable, _ right: KeyTable, _ range: Range<Int>) -> KeyTable {
        left.withView { left in
            right.withView { right in
                let first = range.clamped(to: 0..<left.count)
                let second =
                    (max(range.lowerBound, left.count) - left.count)..<(max(range.upperBound, left.count) - left.count)
                let size = first.reduce(0) { $0 + left[$1].count } + second.reduce(0) { $0 + right[$1].count }
                return KeyTable(count: range.count, byteCount: size) {
                    $0.append(left, first)
                    $0.append(right, second)
                }
            }
        }
    }

    /// Whether the keys are exactly these.
    func holds(count: Int, _ key: (Int) -> UnsafeBufferPointer<UInt8>) -> Bool {
        self.withView { view in
            view.count == count && (0..<count).allSatisfy { CodeUnitOrder.areEqual(view[$0], key($0)) }
        }
    }

    /// What the table occupies, for measurements.
    var storageBytes: Int { self.storage.capacity }
}
