import BrasaStore
import BrasaTransactions
import BrasaTree
import BrasaTreeJudging

extension TreeService {
    /// Of the newest durable version.
    func read(_ call: TreeCall, _ options: TreeCallOptions) throws(TreeCallRefusal) -> TreeAnswer {
        let root = self.root(of: call.tree)
        try self.checkReading(call, options, in: root)
        let node = root.part(call.location)
        var etag: String?
        if call.wantsETag || call.ifNoneMatch != nil {
            etag = Self.etag(of: node)
            guard etag != nil else { throw TreeCallRefusal(.tooMuchToRead) }
        }
        if let etag, call.ifNoneMatch == etag {
            var answer = TreeAnswer(304, nil)
            answer.etag = etag
            return answer
        }
        var answer = TreeAnswer(200, try self.content(of: node, options))
        if options.printing == .silent { answer = TreeAnswer(204, nil) }
        answer.etag = etag
        answer.isPretty = options.printing == .pretty
        answer.callback = options.callback
        answer.fileName = options.fileName
        return answer
    }

    func root(of tree: TreeNamespace) -> TreeNode {
        self.store.existingTree(tree).map { self.store.root(of: $0).root } ?? .absent
    }

    /// Whether rules allow it, before anything is said of what is there, and have an index for it.
    func checkReading(_ call: TreeCall, _ options: TreeCallOptions, in root: TreeNode) throws(TreeCallRefusal) {
        guard try self.mayRead(call, options.query, in: root) else { throw TreeCallRefusal(.permissionDenied) }
        // Of shallow reads Google's command line asks for keys alone.
        if let query = options.query,
            let text = self.rules.book.missingIndex(query, at: call.location.path, of: call.tree)
        {
            throw TreeCallRefusal(text)
        }
    }

    func mayRead(_ call: TreeCall, _ query: TreeQuery?, in root: TreeNode) throws(TreeCallRefusal) -> Bool {
        guard let reader = try call.identity().reader(of: call.tree) else { return false }
        return self.rules.book.reading(
            call.location.path,
            query,
            of: call.tree,
            in: root,
            by: reader,
            milliseconds: self.store.presentTime.milliseconds
        ).isAllowed
    }

    private func content(of node: TreeNode, _ options: TreeCallOptions) throws(TreeCallRefusal) -> TreeContent {
        // Of a shallow read no more than keys is shown.
        guard options.isShallow || node.nodeCount <= self.bounds.readNodesMax else {
            throw TreeCallRefusal(.tooMuchToRead)
        }
        var node = node
        if let query = options.query {
            try Self.checkWork(query, node)
            // A leaf has no keys to go on after, and is shown as it is.
            if !options.isShallow || node.childCount > 0 { node = query.answer(of: node) }
        }
        guard options.isShallow || node.estimate <= self.bounds.readBytesMax else {
            throw TreeCallRefusal(.tooMuchToRead)
        }
        return options.isShallow ? .shallow(node) : .node(node, options.form)
    }

    static func checkWork(_ query: TreeQuery, _ node: TreeNode) throws(TreeCallRefusal) {
        guard !query.isComplete else { return }
        let isByKey = query.order == .key || query.order == .priority && !node.hasChildPriorities
        // By key it is found without going through the others.
        let children = isByKey ? TreeWindow(query, of: node).count : node.childCount
        guard children <= Self.queryChildrenMax else { throw TreeCallRefusal(.tooMuchToRead) }
    }
}
