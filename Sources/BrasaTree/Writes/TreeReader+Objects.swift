extension TreeReader {
    /// Hands a complete value to the object or array that it is in.
    mutating func deliver(_ built: Built) throws(TreeError) {
        guard let top = self.frames.indices.last else { return self.complete(built.written) }
        switch self.frames[top].slot {
        case .child: self.deliverChild(built.written, top)
        case .value: self.frames[top].value = built
        case .priority:
            if case .node(let written) = built, !written.node.isAbsent,
                written.node.scalar.flatMap(TreePriority.init) == nil
            {
                throw TreeError(.invalidPriority, at: self.path)
            }
            self.frames[top].priority = built
        case .serverValue:
            guard case .node(let written) = built, let value = ServerValue(written.node) else {
                throw TreeError(.unrecognizedServerValue, at: self.path)
            }
            self.frames[top].serverValue = value
        }
    }

    private mutating func deliverChild(_ written: Written, _ top: Int) {
        let isNext = self.isAfterLast(top)
        let key = self.frames[top].key
        self.frames[top].key = 0..<0
        // Nothing, where nothing was before, is not worth an entry.
        if written.node.isAbsent, written.serverValues == nil, isNext, self.frames[top].isSorted { return }
        if !isNext { self.frames[top].isSorted = false }
        self.entries.append(Entry(key: key, written))
    }

    /// Whether the key at hand comes after all before it in its object.
    private func isAfterLast(_ top: Int) -> Bool {
        guard self.frames[top].isObject, self.entries.count > self.frames[top].entriesStart,
            let last = self.entries.last
        else { return true }
        return self.keys.withUnsafeBufferPointer { keys in
            KeyOrder.compare(
                UnsafeBufferPointer(rebasing: keys[last.key]),
                UnsafeBufferPointer(rebasing: keys[self.frames[top].key])
            ) < 0
        }
    }

    mutating func endFrame() throws(TreeError) {
        guard let frame = self.frames.popLast() else { return }
        if let value = frame.serverValue {
            guard !frame.hasChildren, frame.value == nil, frame.priority == nil else {
                throw TreeError(.serverValueWithSiblings, at: self.path)
            }
            self.clear(frame)
            return try self.deliver(.serverValue(value))
        }
        // Of an object in a special slot there was to be a server's value, or what is one's increment.
        guard frame.purpose == .child || frame.purpose == .serverValue else {
            throw TreeError(frame.purpose.refusal, at: self.path)
        }
        if frame.value != nil, frame.hasChildren { throw TreeError(.valueWithChildren, at: self.path) }
        let written = self.written(frame)
        self.clear(frame)
        try self.deliver(.node(written))
    }

    private mutating func written(_ frame: Frame) -> Written {
        var priority = TreePriority.none
        var asked: ServerValues.Priority?
        switch frame.priority {
        case nil: break
        case .node(let written)?: priority = written.node.scalar.flatMap(TreePriority.init) ?? .none
        case .serverValue(let value)?: asked = .server(value)
        }
        let inner = frame.value == nil ? self.inner(frame, priority: priority) : nil
        var children: [(key: TreeText, values: ServerValues)] = []
        if inner != nil {
            for entry in self.entries[frame.entriesStart...] {
                guard let values = entry.serverValues else { continue }
                children.append((TreeText(checked: Array(self.keys[entry.key])), values))
            }
        }
        var node = inner ?? .absent
        var value: ServerValue?
        switch frame.value {
        case nil: break
        case .node(let written)?: node = written.node.withPriority(priority)
        case .serverValue(let asked)?: value = asked
        }
        // Where only the server's values make a node, it is they that have its priority.
        if asked == nil, node.isAbsent, !priority.isNone { asked = .written(priority) }
        guard value != nil || !children.isEmpty || (asked != nil && !node.isAbsent) else { return Written(node: node) }
        if let value, asked == nil { return Written(node: node, serverValues: .bare(value)) }
        return Written(node: node, serverValues: ServerValues(value: value, priority: asked, children: children))
    }

    private mutating func clear(_ frame: Frame) {
        self.entries.removeSubrange(frame.entriesStart...)
        self.keys.removeSubrange(frame.keysStart...)
    }

    private mutating func inner(_ frame: Frame, priority: TreePriority) -> TreeNode {
        if !frame.isSorted { self.sort(frame) }
        let entries = self.entries[frame.entriesStart...]
        // Absent entries stand for the server's values.
        let present = entries.contains { $0.node.isAbsent } ? entries.filter { !$0.node.isAbsent }[...] : entries
        let depth = self.frames.count
        let shared = self.tables.indices.contains(depth) ? self.tables[depth] : nil
        let page = self.keys.withUnsafeBufferPointer { keys in
            Page.build(count: present.count, priority: priority, sharing: shared) {
                UnsafeBufferPointer(rebasing: keys[present[present.startIndex + $0].key])
            } _: {
                present[present.startIndex + $0].node
            }
        }
        guard let page else { return .absent }
        if !page.isFork {
            while self.tables.count <= depth { self.tables.append(nil) }
            self.tables[depth] = page.keys
        }
        return .inner(InnerNode(page))
    }

    /// In key order, of equal keys the last.
    private mutating func sort(_ frame: Frame) {
        let unsorted = Array(self.entries[frame.entriesStart...])
        let sorted = self.keys.withUnsafeBufferPointer { keys in
            unsorted.indices.sorted { left, right in
                let order = KeyOrder.compare(
                    UnsafeBufferPointer(rebasing: keys[unsorted[left].key]),
                    UnsafeBufferPointer(rebasing: keys[unsorted[right].key])
                )
                return order < 0 || order == 0 && left < right
            }
        }
        var kept: [Entry] = []
        for entry in sorted.lazy.map({ unsorted[$0] }) {
            if let last = kept.last, self.keys[last.key].elementsEqual(self.keys[entry.key]) {
                kept[kept.count - 1] = entry
            } else {
                kept.append(entry)
            }
        }
        self.entries.replaceSubrange(frame.entriesStart..., with: kept)
    }
}

extension TreeReader.Built {
    /// As a value of its own.
    fileprivate var written: TreeReader.Written {
        switch self {
        case .node(let written): written
        case .serverValue(let value): TreeReader.Written(serverValues: .bare(value))
        }
    }
}

extension TreeTemplate {
    /// Of JSON text. `base` is where it is to be written.
    package init(parsing text: [UInt8], at base: TreePath = .root) throws(TreeError) {
        var scanner = JSONScanner(TreeReader(at: base))
        try scanner.read(text)
        self = try scanner.finish().template ?? TreeTemplate(.absent)
    }

    package init(_ value: JSONValue, at base: TreePath = .root) throws(TreeError) {
        var reader = TreeReader(at: base)
        try value.emit(into: &reader)
        self = reader.template ?? TreeTemplate(.absent)
    }
}
