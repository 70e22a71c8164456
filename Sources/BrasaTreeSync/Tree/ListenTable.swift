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
    /// Those that are closed without the server's answer to that: what they had to be told may still come. By when they were
    /// closed, the first before the others.
    private(set) var closing: [TreeTarget: [Int]] = [:]
    /// When each was opened.
    private var opened: [TreeTarget: Int] = [:]
    /// Counts what the server is asked for.
    private var lastRequest = 0
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

    /// Whether a listen was asked for before something was closed; nil: nothing was.
    func isOpen(_ target: TreeTarget, before closed: Int?) -> Bool {
        guard let opened = self.opened[target] else { return false }
        return closed.map { opened < $0 } ?? true
    }

    /// A listen that is opened again has another tag: what is on its way for the one before is not for it.
    mutating func open(_ target: TreeTarget) -> ListenChange {
        self.lastRequest += 1
        self.opened[target] = self.lastRequest
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
        guard let closed = self.closing[target] else { return }
        self.closing[target] = closed.count > 1 ? Array(closed.dropFirst()) : nil
    }

    mutating func endAllClosing() {
        self.closing = [:]
    }

    /// By the server: nothing more comes of it. False when it was not open.
    mutating func end(_ target: TreeTarget) -> Bool {
        self.remove(target) != nil
    }

    mutating func close(_ target: TreeTarget) -> ListenChange? {
        guard let tag = self.remove(target) else { return nil }
        self.lastRequest += 1
        self.closing[target, default: []].append(self.lastRequest)
        return .close(target, tag: tag)
    }

    private mutating func remove(_ target: TreeTarget) -> Int?? {
        guard let tag = self.tags.removeValue(forKey: target) else { return nil }
        self.opened[target] = nil
        if let tag { self.targets[tag] = nil }
        return tag
    }
}
