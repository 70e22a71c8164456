package import BrasaTree

/// What the wire has to ask for, or need not be told any more.
package enum ListenChange: Hashable, Sendable {
    case open(TreeTarget, tag: Int?)
    case close(TreeTarget, tag: Int?)
}

/// The listens that the server has been, or is to be, asked for.
struct ListenTable: Sendable {
    private var tags: [TreeTarget: Int?] = [:]
    private var targets: [Int: TreeTarget] = [:]
    /// Of listens to everything, closed without the server's answer to that: what they had to be told may still come.
    private(set) var closing: [TreePath: Int] = [:]
    private var lastTag = 0

    /// The upper before the lower; at one path in the order in which they were opened.
    var all: [(target: TreeTarget, tag: Int?)] {
        self.tags.map { (target: $0.key, tag: $0.value) }.sorted { left, right in
            left.target.path == right.target.path
                ? left.tag ?? 0 < right.tag ?? 0 : left.target.path < right.target.path
        }
    }

    func isOpen(_ target: TreeTarget) -> Bool { self.tags[target] != nil }

    func target(tag: Int) -> TreeTarget? { self.targets[tag] }

    /// A listen that is opened again has another tag: what is on its way for the one before is not for it.
    mutating func open(_ target: TreeTarget) -> ListenChange {
        guard target.query != nil else {
            self.tags[target] = .some(nil)
            return .open(target, tag: nil)
        }
        self.lastTag += 1
        self.tags[target] = self.lastTag
        self.targets[self.lastTag] = target
        return .open(target, tag: self.lastTag)
    }

    mutating func endClosing(_ target: TreeTarget) {
        guard target.query == nil, let count = self.closing[target.path] else { return }
        self.closing[target.path] = count > 1 ? count - 1 : nil
    }

    mutating func endAllClosing() {
        self.closing = [:]
    }

    /// By the server: nothing more comes of it. False when it was not open.
    mutating func end(_ target: TreeTarget) -> Bool {
        guard self.close(target) != nil else { return false }
        self.endClosing(target)
        return true
    }

    mutating func close(_ target: TreeTarget) -> ListenChange? {
        guard let tag = self.tags.removeValue(forKey: target) else { return nil }
        if let tag {
            self.targets[tag] = nil
        } else {
            self.closing[target.path, default: 0] += 1
        }
        return .close(target, tag: tag)
    }
}
