import BrasaTree
import Testing

@testable import BrasaTreeSync

/// What one listener makes of its events, and whether they make sense.
struct Recorder {
    let path: TreePath
    let query: TreeQuery
    private(set) var children: [TreeKey: TreeNode] = [:]
    /// Of the last `value` event.
    private(set) var value: TreeNode?
    private(set) var isRefused = false

    init(_ query: TreeQuery, at path: TreePath) {
        (self.path, self.query) = (path, query)
    }

    /// All of one step.
    mutating func take(_ events: [TreeSyncEvent.Kind]) {
        var lastEntry: (kind: ChildEvent.Kind, entry: IndexEntry)?
        var neighbours: [ChildEvent] = []
        var moved: [TreeKey] = []
        for event in events {
            #expect(!self.isRefused, "an event after the end")
            switch event {
            case .refused: self.isRefused = true
            case .value(let node): self.value = node
            case .child(let event):
                let before = self.children[event.key]
                let entry = self.query.entry(event.key, event.node)
                if let lastEntry {
                    let isLater = lastEntry.kind.rawValue < event.kind.rawValue
                    #expect(isLater || lastEntry.kind == event.kind && lastEntry.entry < entry, "out of order")
                }
                lastEntry = (event.kind, entry)
                switch event.kind {
                case .removed:
                    #expect(before == event.node)
                    self.children[event.key] = nil
                    continue
                case .added: #expect(before == nil)
                case .moved:
                    #expect(before.map { self.query.entry(event.key, $0).value } != entry.value)
                    moved.append(event.key)
                    continue
                case .changed:
                    #expect(before != nil && before != event.node)
                    let isMoved = before.map { self.query.entry(event.key, $0).value } != entry.value
                    #expect(isMoved == moved.contains(event.key))
                }
                self.children[event.key] = event.node
                neighbours.append(event)
            }
        }
        if events.isEmpty || self.isRefused { return }
        let order = self.children.map { self.query.entry($0.key, $0.value) }.sorted()
        for event in neighbours {
            let index = order.firstIndex { $0.key == event.key } ?? 0
            #expect(event.previous == (index > 0 ? order[index - 1].key : nil))
        }
        guard let value = self.value else { return }
        // Once there was a value, each change brings the next.
        guard case .value? = events.last else { return }
        #expect(Dictionary(uniqueKeysWithValues: value.children.map { ($0.key, $0.node) }) == self.children)
    }
}
