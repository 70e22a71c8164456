import BrasaTree

/// Makes text of a content piece by piece: text is made of a bounded number of nodes, up to the one that fills a piece, and
/// cut where that one is long. So whoever sends them works a bounded time for each, and keeps one.
package struct TreeOutput {
    package static let pieceBytes = 64 << 10
    package static let pieceNodes = 4_096
    private static let nodesAtOnce = 64
    /// The rest of a text that is no longer is not cut.
    package static let pieceBytesMax = 2 * pieceBytes

    private var text: JSONText
    private var before: [UInt8]
    private let after: [UInt8]
    private let form: TreeEmitter.Form
    private var emitter: TreeEmitter?
    private var keys: TreeChildren.Iterator?
    /// The next one last.
    private var members: [TreeMember] = []
    /// An object is open around what is written.
    private var isOpen = false
    /// Everything is in the text that was made.
    private var isMade = false
    private var isOver = false
    /// What was made, and how much of it was handed out.
    private var made: [UInt8] = []
    private var offset = 0

    package init(_ content: TreeContent, isPretty: Bool = false, before: [UInt8] = [], after: [UInt8] = []) {
        self.text = JSONText(isPretty: isPretty)
        self.before = before
        self.after = after
        var form = TreeEmitter.Form.plain
        switch content {
        case .text(let text): self.before += text
        case .node(let node, let asked):
            form = asked
            self.emitter = TreeEmitter(node, asked)
        case .shallow(let node):
            if node.childCount > 0 {
                self.keys = node.children.makeIterator()
                self.isOpen = true
            } else {
                self.emitter = TreeEmitter(node, .plain)
            }
        case .members(let members, let asked):
            form = asked
            self.members = members.reversed()
            self.isOpen = true
        }
        self.form = form
        if self.isOpen { self.text.beginObject() }
    }

    /// Nil after the last.
    package mutating func next() -> [UInt8]? {
        guard !self.isOver else { return nil }
        if self.offset == self.made.count {
            self.made = self.make()
            self.offset = 0
        }
        let rest = self.made.count - self.offset
        if rest > Self.pieceBytesMax {
            defer { self.offset += Self.pieceBytes }
            return Array(self.made[self.offset..<self.offset + Self.pieceBytes])
        }
        let piece = self.offset == 0 ? self.made : Array(self.made[self.offset...])
        self.made = []
        self.offset = 0
        self.isOver = self.isMade
        return piece
    }

    private mutating func make() -> [UInt8] {
        var piece = self.before
        self.before = []
        var nodes = 0
        while nodes < Self.pieceNodes, piece.count + self.text.bytes.count < Self.pieceBytes {
            guard self.advance() else {
                if self.isOpen { self.text.endObject() }
                self.isMade = true
                piece += self.text.take()
                piece += self.after
                return piece
            }
            nodes += Self.nodesAtOnce
        }
        piece += self.text.take()
        return piece
    }

    /// Whether the last piece was handed out.
    package var isComplete: Bool { self.isOver }

    /// Writes a few nodes; false when there are none left.
    private mutating func advance() -> Bool {
        if self.emitter != nil {
            let bytesMax = max(1, Self.pieceBytes - self.text.bytes.count)
            let hasMore =
                self.emitter?.emit(into: &self.text, nodesMax: Self.nodesAtOnce, bytesMax: bytesMax) ?? false
            if !hasMore { self.emitter = nil }
            return true
        }
        if let member = self.members.popLast() {
            self.text.key(member.name)
            self.emitter = TreeEmitter(member.node, self.form)
            return true
        }
        return self.advanceKeys()
    }

    private mutating func advanceKeys() -> Bool {
        for _ in 0..<Self.nodesAtOnce {
            guard let child = self.keys?.next() else {
                let hadKeys = self.keys != nil
                self.keys = nil
                return hadKeys
            }
            self.text.key(child.key.text)
            self.text.scalar(.boolean(true))
        }
        return true
    }
}
