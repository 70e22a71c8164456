/// Makes a written value of JSON: arrays become children with indices as keys, nulls and empty objects nothing, `.value`,
/// `.priority` and `.sv` what they stand for. Of equal keys in one object the last counts.
///
/// Keys and children of the objects that are open lie on two stacks, so that an object costs its page alone.
package struct TreeReader: JSONSink {
    struct Entry {
        let key: Range<Int>
        let node: TreeNode
        let placeholders: Range<Int>
    }

    /// What the value that comes next is for.
    enum Slot {
        case child, value, priority, serverValue
    }

    struct Frame {
        let isObject: Bool
        /// Keys from the root of the tree to this object.
        let level: Int
        let isSpecial: Bool
        let entriesStart: Int
        let keysStart: Int
        var slot = Slot.child
        var key = 0..<0
        var element = 0
        /// Where the placeholders of the child at hand begin.
        var childPlaceholders: Int
        var isSorted = true
        var hasChildren = false
        var value: Built?
        var priority: Built?
        var serverValue: ServerValue?
    }

    /// A value that is complete.
    enum Built {
        case node(TreeNode)
        case serverValue(ServerValue)
    }

    /// Where in the tree the value is to be written: errors name paths from the root, and levels count from there.
    private var base: TreePath
    package private(set) var template: TreeTemplate?

    var frames: [Frame] = []
    var entries: [Entry] = []
    var keys: [UInt8] = []
    var placeholders: [TreeTemplate.Placeholder?] = []
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
    package var path: TreePath? { self.base.appending(self.innerPath) }

    /// From the written node.
    var innerPath: TreePath {
        TreePath(
            self.frames.compactMap { frame in
                guard frame.slot == .child, !frame.key.isEmpty else { return nil }
                return TreeKey(checked: TreeText(checked: Array(self.keys[frame.key])))
            }
        )
    }

    package mutating func null() throws(TreeError) {
        try self.beginElement()
        try self.deliver(.node(.absent))
    }

    package mutating func scalar(_ value: JSONScalar) throws(TreeError) {
        try self.beginElement()
        try self.deliver(.node(value.treeScalar.map(TreeNode.leaf) ?? .absent))
    }

    package mutating func string(_ text: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        try self.beginElement()
        try self.deliver(.node(.leaf(.string(TreeText(checked: text)))))
    }

    package mutating func beginObject() throws(TreeError) { try self.beginFrame(isObject: true) }
    package mutating func beginArray() throws(TreeError) { try self.beginFrame(isObject: false) }

    package mutating func endObject() throws(TreeError) { try self.endFrame() }
    package mutating func endArray() throws(TreeError) { try self.endFrame() }

    package mutating func key(_ text: UnsafeBufferPointer<UInt8>) throws(TreeError) {
        guard let top = self.frames.indices.last else { return }
        self.frames[top].key = 0..<0
        if text.first == UInt8(ascii: ".") {
            self.frames[top].slot = try self.specialSlot(text)
            return
        }
        if let fault = TreeKey.fault(text) { throw TreeError(fault, at: self.path) }
        try self.beginChild(top) { $0.append(contentsOf: text) }
    }

    private func specialSlot(_ text: UnsafeBufferPointer<UInt8>) throws(TreeError) -> Slot {
        switch String(decoding: text, as: UTF8.self) {
        case ".value": return .value
        case ".priority": return .priority
        case ".sv": return .serverValue
        default: throw TreeError(.invalidKey(TreeText(checked: text)), at: self.path)
        }
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
        if level > TreeLimits.levelsMax, !self.frames[top].isSpecial {
            throw TreeError(.tooDeep(levels: level), at: self.path)
        }
    }

    private mutating func beginFrame(isObject: Bool) throws(TreeError) {
        try self.beginElement()
        let parent = self.frames.last
        self.frames.append(
            Frame(
                isObject: isObject,
                level: parent.map { $0.level + ($0.slot == .child ? 1 : 0) } ?? self.base.keys.count,
                isSpecial: parent.map { $0.isSpecial || $0.slot != .child } ?? false,
                entriesStart: self.entries.count,
                keysStart: self.keys.count,
                childPlaceholders: self.placeholders.count
            )
        )
    }

    /// The whole value is there.
    mutating func complete(_ node: TreeNode) {
        let placeholders = self.placeholders.compactMap { $0 }
        self.template = TreeTemplate(node, placeholders: placeholders)
        self.placeholders = []
        self.keys.removeAll(keepingCapacity: true)
    }
}
