/// Writes a node as JSON into a sink, in steps of a bounded number of nodes, so that a large one need not be one text.
package struct TreeEmitter: Sendable {
    package enum Form: Sendable {
        /// Priorities dropped; nodes whose keys are indices are arrays (`TreeNode.arrayCount`).
        case plain
        /// With `.priority`, and `.value` where a leaf has one; never arrays.
        case export
    }

    private struct Frame: Sendable {
        let root: Page
        var cursor: PageCursor
        /// Nil for an object; else how many elements there are, and which is next.
        var arrayCount: Int?
        var element = 0
    }

    private let form: Form
    private var beginning: TreeNode?
    private var frames: [Frame] = []
    /// Of the values that were written in this step, by their estimate.
    private var bytes = 0

    package init(_ node: TreeNode, _ form: Form) {
        self.form = form
        self.beginning = node
    }

    /// Writes the next nodes, and returns whether there are more. It stops behind the value that makes the bytes too many.
    package mutating func emit<Sink: JSONSink>(
        into sink: inout Sink,
        nodesMax: Int = .max,
        bytesMax: Int = .max
    ) throws(Sink.Failure) -> Bool {
        var rest = nodesMax
        self.bytes = 0
        if let node = self.beginning {
            self.beginning = nil
            try self.begin(node, &sink)
            rest -= 1
        }
        while rest > 0, self.bytes < bytesMax, !self.frames.isEmpty {
            try self.step(&sink)
            rest -= 1
        }
        return !self.frames.isEmpty
    }

    private mutating func step<Sink: JSONSink>(_ sink: inout Sink) throws(Sink.Failure) {
        let top = self.frames.count - 1
        guard let node = self.frames[top].cursor.node else {
            let frame = self.frames.removeLast()
            guard frame.arrayCount == nil else { return try sink.endArray() }
            if self.form == .export { try Self.priority(frame.root.priority, &sink) }
            return try sink.endObject()
        }
        if self.frames[top].arrayCount != nil {
            let index = self.frames[top].cursor.withKey { ArrayIndex.value($0) ?? 0 }
            let element = self.frames[top].element
            self.frames[top].element += 1
            // A hole is a step of its own.
            guard element >= index else { return try sink.null() }
        } else {
            try self.frames[top].cursor.withKey { key throws(Sink.Failure) in try sink.key(key) }
        }
        self.frames[top].cursor.advance()
        try self.begin(node, &sink)
    }

    private mutating func begin<Sink: JSONSink>(_ node: TreeNode, _ sink: inout Sink) throws(Sink.Failure) {
        switch node {
        case .absent: try sink.null()
        case .leaf(let scalar):
            self.bytes += scalar.estimate
            try Self.scalar(scalar, &sink)
        case .prioritizedLeaf(let leaf):
            self.bytes += leaf.scalar.estimate + leaf.priority.estimate
            guard self.form == .export else { return try Self.scalar(leaf.scalar, &sink) }
            try sink.beginObject()
            try sink.key(".value")
            try Self.scalar(leaf.scalar, &sink)
            try Self.priority(leaf.priority, &sink)
            try sink.endObject()
        case .inner(let inner):
            let arrayCount = self.form == .plain ? node.arrayCount : nil
            if arrayCount == nil { try sink.beginObject() } else { try sink.beginArray() }
            self.frames.append(Frame(root: inner.root, cursor: PageCursor(first: inner.root), arrayCount: arrayCount))
        }
    }

    private static func priority<Sink: JSONSink>(_ priority: TreePriority, _ sink: inout Sink) throws(Sink.Failure) {
        guard let scalar = priority.scalar else { return }
        try sink.key(TreeLocation.priorityName)
        try self.scalar(scalar, &sink)
    }

    private static func scalar<Sink: JSONSink>(_ scalar: TreeScalar, _ sink: inout Sink) throws(Sink.Failure) {
        switch scalar {
        case .boolean(let value): try sink.scalar(.boolean(value))
        case .integer(let value): try sink.scalar(.integer(value))
        case .double(let value): try sink.scalar(.double(value))
        case .string(let text): try sink.string(text)
        }
    }
}

extension TreeNode {
    package func text(_ form: TreeEmitter.Form, isPretty: Bool = false) -> [UInt8] {
        var text = JSONText(isPretty: isPretty)
        var emitter = TreeEmitter(self, form)
        while emitter.emit(into: &text) {}
        return text.bytes
    }

    package func json(_ form: TreeEmitter.Form) -> JSONValue {
        var reader = JSONValueReader()
        var emitter = TreeEmitter(self, form)
        do throws(TreeError) {
            while try emitter.emit(into: &reader) {}
        } catch {
            preconditionFailure("a value takes whatever a node emits")
        }
        return reader.value
    }
}
