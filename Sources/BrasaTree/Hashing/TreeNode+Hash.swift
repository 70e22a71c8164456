import BrasaBytes
internal import Synchronization

extension TreeNode {
    /// The simple hash: SHA-1 in Base64 over the node's priority and its value or, in the order of priorities, its
    /// children's keys and hashes. Empty for an absent node.
    ///
    /// Inner nodes of some size keep theirs, so that after a write the hashes on its path alone are made anew.
    package var hash: String { String(decoding: SimpleHash().text(of: self), as: UTF8.self) }

    /// Whether `hash` names this node. Clients for Apple platforms go through the children of a node in key order when
    /// every one of them has a priority; what they make of it counts as well.
    /// What cannot be a hash costs nothing.
    package func agrees(with hash: String) -> Bool {
        guard !hash.isEmpty else { return self.isAbsent }
        guard !self.isAbsent, hash.utf8.count == 28 else { return false }
        if SimpleHash().text(of: self).elementsEqual(hash.utf8) { return true }
        guard let summary = self.root?.summary, summary.isPrioritizedOnly || summary.hasPrioritizedOnly else {
            return false
        }
        return self.appleHash.elementsEqual(hash.utf8)
    }

    /// Whether the hash was made before and is kept.
    package var hasKeptHash: Bool { self.root?.hash.load() != nil }

    /// Kept beside the simple hash, where there is one to keep it with.
    private var appleHash: [UInt8] {
        let kept = self.root?.hash.load()
        if let known = kept?.appleOrder.load() { return known.utf8 }
        let text = SimpleHash(isAppleOrder: true).text(of: self)
        _ = kept?.appleOrder.storeIfNil(HashText(text))
        return text
    }
}

/// Makes simple hashes, with a stack of its own instead of recursion.
private struct SimpleHash {
    /// Children that all have priorities in the order of keys. Such hashes are not kept.
    var isAppleOrder = false

    private struct Frame {
        let root: Page
        var children: OrderedChildren
        var hash = SHA1()
        var key: [UInt8] = []
    }

    func text(of node: TreeNode) -> [UInt8] {
        if node.isAbsent { return [] }
        var leafHash = SHA1()
        if let text = self.known(node, &leafHash) { return text }
        var frames: [Frame] = []
        self.push(node, &frames)
        var text: [UInt8] = []
        while let top = frames.indices.last {
            if let child = frames[top].children.next() {
                if let text = self.known(child.node, &leafHash) {
                    Self.append(child.key, text, to: &frames[top].hash)
                } else {
                    frames[top].key = child.key
                    self.push(child.node, &frames)
                }
                continue
            }
            text = Base64.encode(frames[top].hash.finish(), .standard, isPadded: true)
            self.keep(text, frames[top].root)
            frames.removeLast()
            if let parent = frames.indices.last { Self.append(frames[parent].key, text, to: &frames[parent].hash) }
        }
        return text
    }

    /// Of leaves, and of nodes that have kept theirs.
    private func known(_ node: TreeNode, _ hash: inout SHA1) -> [UInt8]? {
        switch node {
        case .absent: return []
        case .leaf(let scalar):
            Self.append(scalar, to: &hash)
            return Base64.encode(hash.finish(), .standard, isPadded: true)
        case .prioritizedLeaf(let leaf):
            Self.append(leaf.priority, to: &hash)
            Self.append(leaf.scalar, to: &hash)
            return Base64.encode(hash.finish(), .standard, isPadded: true)
        case .inner(let node): return self.isAppleOrder ? nil : node.root.hash.load()?.utf8
        }
    }

    private func push(_ node: TreeNode, _ frames: inout [Frame]) {
        guard let root = node.root else { return }
        let inKeyOrder = self.isAppleOrder && root.summary.isPrioritizedOnly
        var frame = Frame(root: root, children: OrderedChildren(root, byPriority: !inKeyOrder))
        Self.append(root.priority, to: &frame.hash)
        frames.append(frame)
    }

    private func keep(_ text: [UInt8], _ root: Page) {
        guard !self.isAppleOrder, root.summary.nodes >= HashText.nodesMin else { return }
        _ = root.hash.storeIfNil(HashText(text))
    }

    private static func append(_ key: [UInt8], _ text: [UInt8], to hash: inout SHA1) {
        guard !text.isEmpty else { return }
        hash.append(UInt8(ascii: ":"))
        hash.append(key)
        hash.append(UInt8(ascii: ":"))
        hash.append(text)
    }

    private static func append(_ priority: TreePriority, to hash: inout SHA1) {
        guard let scalar = priority.scalar else { return }
        hash.append(Array("priority:".utf8))
        self.append(scalar, to: &hash)
        hash.append(UInt8(ascii: ":"))
    }

    private static func append(_ scalar: TreeScalar, to hash: inout SHA1) {
        hash.append(scalar.hashPrefix)
        switch scalar {
        case .boolean(let value): hash.append(Array((value ? "true" : "false").utf8))
        case .integer(let value): hash.append(Double(value).hashDigits)
        case .double(let value): hash.append(value.hashDigits)
        case .string(let text): hash.append(text.utf8)
        }
    }
}

extension TreeScalar {
    private static let booleanPrefix = Array("boolean:".utf8)
    private static let numberPrefix = Array("number:".utf8)
    private static let stringPrefix = Array("string:".utf8)

    var hashPrefix: [UInt8] {
        switch self {
        case .boolean: Self.booleanPrefix
        case .integer, .double: Self.numberPrefix
        case .string: Self.stringPrefix
        }
    }
}

extension Double {
    /// The eight bytes, big-endian, as 16 hexadecimal digits.
    var hashDigits: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { digits, count in
            for index in 0..<16 {
                let nibble = UInt8(truncatingIfNeeded: self.bitPattern >> UInt64(60 - 4 * index)) & 0xF
                digits[index] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
            }
            count = 16
        }
    }
}
