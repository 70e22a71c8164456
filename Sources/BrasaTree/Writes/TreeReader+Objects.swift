extension TreeReader {
    /// Hands a complete value to the object or array that it is in.
    mutating func deliver(_ built: Built) throws(TreeError) {
        guard let top = self.frames.indices.last else {
            switch built {
            case .node(let node): self.complete(node)
            case .serverValue(let value):
                self.placeholders.append(.init(path: .root, content: .value(value, priority: .none)))
                self.complete(.absent)
            }
            return
        }
        switch self.frames[top].slot {
        case .child: self.deliverChild(built, top)
        case .value:
            if case .node(let node) = built, node.root != nil || !node.priority.isNone {
                throw TreeError(.valueNotPrimitive, at: self.path)
            }
            self.frames[top].value = built
        case .priority:
            if case .node(let node) = built, !node.isAbsent, node.scalar.flatMap(TreePriority.init) == nil {
                throw TreeError(.invalidPriority, at: self.path)
            }
            self.frames[top].priority = built
        case .serverValue:
            guard case .node(let node) = built, let value = ServerValue(node) else {
                throw TreeError(.unrecognizedServerValue, at: self.path)
            }
            self.frames[top].serverValue = value
        }
    }

    private mutating func deliverChild(_ built: Built, _ top: Int) {
        var node = TreeNode.absent
        // Those of the child itself were recorded when its object ended.
        var first = self.frames[top].childPlaceholders
        switch built {
        case .node(let complete): node = complete
        case .serverValue(let value):
            first = min(first, self.placeholders.count)
            self.placeholders.append(.init(path: self.innerPath, content: .value(value, priority: .none)))
        }
        let placeholders = first..<self.placeholders.count
        self.frames[top].childPlaceholders = self.placeholders.count
        let isNext = self.isAfterLast(top)
        let key = self.frames[top].key
        self.frames[top].key = 0..<0
        // Nothing, where nothing was before, is not worth an entry.
        if node.isAbsent, placeholders.isEmpty, isNext, self.frames[top].isSorted { return }
        if !isNext { self.frames[top].isSorted = false }
        self.entries.append(Entry(key: key, node: node, placeholders: placeholders))
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
        var priority = TreePriority.none
        if case .node(let node)? = frame.priority { priority = node.scalar.flatMap(TreePriority.init) ?? .none }
        let node = try self.node(of: frame, priority: priority)
        if case .serverValue(let value)? = frame.priority {
            self.placeholders.append(.init(path: self.innerPath, content: .priority(value)))
        }
        self.clear(frame)
        try self.deliver(.node(node))
    }

    private mutating func node(of frame: Frame, priority: TreePriority) throws(TreeError) -> TreeNode {
        guard let value = frame.value else { return self.inner(frame, priority: priority) }
        guard !frame.hasChildren else { throw TreeError(.valueWithChildren, at: self.path) }
        switch value {
        case .node(let node): return node.withPriority(priority)
        case .serverValue(let value):
            self.placeholders.append(.init(path: self.innerPath, content: .value(value, priority: priority)))
            return .absent
        }
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
        guard let page else {
            if !entries.isEmpty, !priority.isNone {
                self.placeholders.append(.init(path: self.innerPath, content: .writtenPriority(priority)))
            }
            return .absent
        }
        if !page.isFork {
            while self.tables.count <= depth { self.tables.append(nil) }
            self.tables[depth] = page.keys
        }
        return .inner(InnerNode(page))
    }

    /// In key order, of equal keys the last; the server's values of those that are dropped are dropped, too.
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
                for index in last.placeholders { self.placeholders[index] = nil }
                kept[kept.count - 1] = entry
            } else {
                kept.append(entry)
            }
        }
        self.entries.replaceSubrange(frame.entriesStart..., with: kept)
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
