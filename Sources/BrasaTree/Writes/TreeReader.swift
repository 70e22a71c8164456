/// Makes a written value of JSON: arrays become children with indices as keys, nulls and empty objects nothing, `.value`,
/// `.priority` and `.sv` what they stand for. Of equal keys in one object the last counts.
///
/// Keys and children of the objects that are open lie on two stacks, so that an object costs its page alone.
package struct TreeReader: JSONSink {
    /// A child of an object that is open. There may be millions of them, so that each is small.
    struct Entry {
        let node: TreeNode
        let serverValues: ServerValues?
        let keyStart: UInt32
        let keyCount: UInt16

        init(key: Range<Int>, _ written: Written) {
            (self.node, self.serverValues) = (written.node, written.serverValues)
            // A text has at most 256 MB, a key 768 bytes.
            self.keyStart = UInt32(truncatingIfNeeded: key.lowerBound)
            self.keyCount = UInt16(truncatingIfNeeded: key.count)
        }

        var key: Range<Int> { Int(self.keyStart)..<(Int(self.keyStart) + Int(self.keyCount)) }
    }

    /// What the value that comes next is for.
    enum Slot {
        case child, value, priority, serverValue

        /// Why what is not a value of this kind is refused.
        var refusal: TreeError.Reason {
            switch self {
            case .child, .value: .valueNotPrimitive
            case .priority: .invalidPriority
            case .serverValue: .unrecognizedServerValue
            }
        }
    }

    struct Frame {
        let isObject: Bool
        /// Keys from the root of the tree to this object.
        let level: Int
        /// What it is for. In the objects of special slots hardly anything is allowed, and no child at all gets into the tree.
        let purpose: Slot
        let entriesStart: Int
        let keysStart: Int
        var slot = Slot.child
        var key = 0..<0
        var element = 0
        var isSorted = true
        var hasChildren = false
        var value: Built?
        var priority: Built?
        var serverValue: ServerValue?
    }

    /// A value that is complete.
    enum Built {
        case node(Written)
        case serverValue(ServerValue)

        init(_ node: TreeNode) {
            self = .node(Written(node: node))
        }
    }

    /// What is there, and what the server works out.
    struct Written {
        var node = TreeNode.absent
        var serverValues: ServerValues?
    }

    /// Where in the tree the value is to be written: errors name paths from the root, and levels count from there.
    private var base: TreePath
    package private(set) var template: TreeTemplate?

    var frames: [Frame] = []
    var entries: [Entry] = []
    var keys: [UInt8] = []
    /// The keys of the last object of each level: the next one often has the same.
    var tables: [KeyTable?] = []

    package init(at base: TreePath = .root) {
        self.base = base
    }

    /// Begins another value.
    mutating func restart(at base: TreePath) {
        self.base = base
        self.template = nil
    }

    /// From the root of the tree to the value at hand.
    package var path: TreePath? {
        let keys = self.frames.compactMap { frame in
            frame.slot == .child && !frame.key.isEmpty
                ? TreeKey(checked: TreeText(checked: Array(self.keys[frame.key]))) : nil
        }
        return self.base.appending(TreePath(keys))
    }

    package mutating func null() throws(TreeError) {
        try self.beginElement()
        try self.deliver(Built(.absent))
    }

    package mutating func scalar(_ value: JSONScalar) throws(TreeError) {
        try self.beginElement()
        // JSON text has no others; values that were made by a program may.
        guard let scalar = value.treeScalar else { throw TreeError(.numberNotFinite, at: self.path) }
        try self.deliver(Built(.leaf(scalar)))
    }

    package mutating func string(_ text: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        try self.beginElement()
        try self.deliver(Built(.leaf(.string(TreeText(checked: text)))))
    }

    package mutating func beginObject() throws(TreeError) { try self.beginFrame(isObject: true) }
    package mutating func beginArray() throws(TreeError) { try self.beginFrame(isObject: false) }

    package mutating func endObject() throws(TreeError) { try self.endFrame() }
    package mutating func endArray() throws(TreeError) { try self.endFrame() }

    package mutating func key(_ text: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        guard let top = self.frames.indices.last else { return }
        self.frames[top].key = 0..<0
        if text.first == UInt8(ascii: ".") {
            let slot = try self.specialSlot(text)
            switch self.frames[top].purpose {
            case .child: break
            case .value where slot == .serverValue, .priority where slot == .serverValue: break
            case let purpose: throw TreeError(purpose.refusal, at: self.path)
            }
            self.frames[top].slot = slot
            return
        }
        switch self.frames[top].purpose {
        case .child: break
        case .serverValue where text.elementsEqual(Self.incrementName): break
        case let purpose: throw TreeError(purpose.refusal, at: self.path)
        }
        if let fault = TreeKey.fault(text) { throw TreeError(fault, at: self.path) }
        try self.beginChild(top) { $0.append(contentsOf: text) }
    }

    private static let incrementName = Array("increment".utf8)
    private static let specialSlots: [(name: [UInt8], slot: Slot)] = [
        (Array(".value".utf8), .value), (TreeLocation.priorityName.utf8, .priority), (Array(".sv".utf8), .serverValue),
    ]

    private func specialSlot(_ text: UnsafeBufferPointer<UInt8>) throws(TreeError) -> Slot {
        if let special = Self.specialSlots.first(where: { text.elementsEqual($0.name) }) { return special.slot }
        throw TreeError(TreeKey.fault(text) ?? .invalidKey(TreeText(checked: text)), at: self.path)
    }

    /// Before each value: in an array, its key.
    private mutating func beginElement() throws(TreeError) {
        guard let top = self.frames.indices.last, !self.frames[top].isObject else { return }
        let index = self.frames[top].element
        self.frames[top].element += 1
        self.frames[top].key = 0..<0
        try self.beginChild(top) { JSONNumber.append(Int64(index), to: &$0) }
    }

    private mutating func beginChild(_ top: Int, _ append: (inout [UInt8]) -> Void) throws(TreeError) {
        self.frames[top].slot = .child
        self.frames[top].hasChildren = true
        let start = self.keys.count
        append(&self.keys)
        self.frames[top].key = start..<self.keys.count
        let level = self.frames[top].level + 1
        if level > TreeLimits.levelsMax, self.frames[top].purpose == .child {
            throw TreeError(.tooDeep(levels: level), at: self.path)
        }
    }

    private mutating func beginFrame(isObject: Bool) throws(TreeError) {
        try self.beginElement()
        let parent = self.frames.last
        // An object in a special slot is a server value, one in a server value is no more than its increment.
        let purpose = parent.map { $0.purpose == .child || $0.slot != .child ? $0.slot : $0.purpose } ?? .child
        if purpose != .child, !isObject || parent?.purpose == .serverValue {
            throw TreeError(purpose.refusal, at: self.path)
        }
        self.frames.append(
            Frame(
                isObject: isObject,
                level: parent.map { $0.level + ($0.slot == .child ? 1 : 0) } ?? self.base.keys.count,
                purpose: purpose,
                entriesStart: self.entries.count,
                keysStart: self.keys.count
            )
        )
    }

    /// The whole value is there.
    mutating func complete(_ written: Written) {
        self.template = TreeTemplate(written.node, serverValues: written.serverValues)
        self.keys.removeAll(keepingCapacity: true)
    }
}
