import BrasaBytes

/// Goes through a node's leaves in key order and hashes the texts of ranges of them.
///
/// A range is `(`, the children `"key":(…)` with commas between, and `)`. It begins with the keys that are open where the
/// last one ended, and closes what is open at its end. An inner node's priority is a child `.priority` before the first
/// key that comes after that text; there is none after the last child, and clients leave it out then, too.
struct CompoundHashBuilder {
    enum Split {
        /// After a leaf with which the text has more bytes than this.
        case size(Int)
        /// After these leaves, whether they are there or not.
        case posts([LeafPath])
    }

    private let split: Split
    private var posts: [LeafPath] = []
    private var hashes: [String] = []
    private var hash = SHA1()
    private var length = 0
    private var isOpen = false
    private var needsComma = false
    /// Keys from the node to where the walk is.
    private var segments: [TreeText] = []
    private var lastLeaf: [TreeText] = []

    init(_ split: Split) {
        self.split = split
    }

    private struct Frame {
        var cursor: PageCursor
        /// That is still to come.
        var priority: TreePriority
    }

    mutating func add(_ node: TreeNode) {
        guard let root = node.root else { return self.leaf(node.scalar, node.priority) }
        var frames = [Frame(cursor: PageCursor(first: root), priority: root.priority)]
        while let top = frames.indices.last {
            guard let child = frames[top].cursor.node else {
                frames.removeLast()
                if !frames.isEmpty { self.endChild() }
                continue
            }
            let key = frames[top].cursor.key.text
            if let priority = frames[top].priority.scalar, TreeKey.compare(TreeLocation.priorityName, key) < 0 {
                frames[top].priority = .none
                self.beginChild(TreeLocation.priorityName)
                self.leaf(priority, .none)
                self.endChild()
            }
            frames[top].cursor.advance()
            self.beginChild(key)
            if let root = child.root {
                frames.append(Frame(cursor: PageCursor(first: root), priority: root.priority))
            } else {
                self.leaf(child.scalar, child.priority)
                self.endChild()
            }
        }
    }

    /// The posts, and one more hash.
    consuming func finish() -> (posts: [LeafPath], hashes: [String]) {
        switch self.split {
        case .size:
            if self.isOpen { self.endRange(at: LeafPath(self.lastLeaf)) }
            return (self.posts, self.hashes + [""])
        case .posts(let posts):
            while self.hashes.count < posts.count { self.endRange(at: posts[self.hashes.count]) }
            let rest = self.isOpen ? self.closed() : ""
            return (posts, self.hashes + [rest])
        }
    }

    private mutating func beginChild(_ key: TreeText) {
        self.segments.append(key)
        guard self.isOpen else { return }
        if self.needsComma { self.append(UInt8(ascii: ",")) }
        self.needsComma = false
        self.open(key)
    }

    private mutating func endChild() {
        self.segments.removeLast()
        guard self.isOpen else { return }
        self.append(UInt8(ascii: ")"))
        self.needsComma = true
    }

    private mutating func leaf(_ scalar: TreeScalar?, _ priority: TreePriority) {
        guard let scalar else { return }
        if case .posts(let posts) = self.split {
            let path = LeafPath(self.segments)
            while self.hashes.count < posts.count, posts[self.hashes.count] < path {
                self.endRange(at: posts[self.hashes.count])
            }
        }
        self.openRange()
        if let priority = priority.scalar {
            self.append(Array("priority:".utf8))
            self.append(priority)
            self.append(UInt8(ascii: ":"))
        }
        self.append(scalar)
        self.lastLeaf = self.segments
        switch self.split {
        case .size(let size):
            if self.length > size, self.segments.last != TreeLocation.priorityName {
                self.endRange(at: LeafPath(self.segments))
            }
        case .posts(let posts):
            if self.hashes.count < posts.count, posts[self.hashes.count].segments == self.segments {
                self.endRange(at: posts[self.hashes.count])
            }
        }
    }

    private mutating func openRange() {
        guard !self.isOpen else { return }
        self.isOpen = true
        self.append(UInt8(ascii: "("))
        for key in self.segments { self.open(key) }
        self.needsComma = false
    }

    private mutating func open(_ key: TreeText) {
        self.quoted(key)
        self.append(Array(":(".utf8))
    }

    private mutating func endRange(at post: LeafPath) {
        self.posts.append(post)
        self.hashes.append(self.isOpen ? self.closed() : "")
    }

    /// Closes what is open, and begins anew.
    private mutating func closed() -> String {
        for _ in 0...self.segments.count { self.append(UInt8(ascii: ")")) }
        self.isOpen = false
        self.length = 0
        return String(decoding: Base64.encode(self.hash.finish(), .standard, isPadded: true), as: UTF8.self)
    }

    private mutating func append(_ scalar: TreeScalar) {
        self.append(scalar.hashPrefix)
        switch scalar {
        case .boolean(let value): self.append(Array((value ? "true" : "false").utf8))
        case .integer(let value): self.append(Double(value).hashDigits)
        case .double(let value): self.append(value.hashDigits)
        case .string(let text): self.quoted(text)
        }
    }

    private mutating func quoted(_ text: TreeText) {
        self.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { self.append(UInt8(ascii: "\\")) }
            self.append(byte)
        }
        self.append(UInt8(ascii: "\""))
    }

    private mutating func append(_ byte: UInt8) {
        self.hash.append(byte)
        self.length += 1
    }

    private mutating func append(_ bytes: [UInt8]) {
        self.hash.append(bytes)
        self.length += bytes.count
    }
}
