import BrasaStore
import BrasaTransactions
import BrasaTree
import BrasaTreeJudging

extension TreeService {
    typealias Done = @Sendable (TreeAnswer) -> Void

    func write(_ call: TreeCall, _ options: TreeCallOptions, _ done: @escaping Done) throws(TreeCallRefusal) {
        guard try call.identity().writer(of: call.tree) != nil else { throw TreeCallRefusal(.permissionDenied) }
        // Who may write and not read must not be told what is there by a condition that does not hold.
        if call.ifMatch != nil, try !self.mayRead(call, nil, in: self.root(of: call.tree)) {
            throw TreeCallRefusal(.permissionDenied)
        }
        try self.checkConditions(of: call, options)
        var location = call.location
        var key: TreeKey?
        if call.method == .post {
            guard !location.isPriority else { throw TreeCallRefusal("a priority has no children") }
            let made = self.pushIDs.next()
            key = made
            location = TreeLocation(location.path.appending(made))
        }
        if call.method == .patch, location.isPriority {
            throw TreeCallRefusal(TreeAnswer(TreeError(.updateNotObject)))
        }
        guard call.method != .delete else { return try self.delete(call, options, done) }
        guard call.body.contains(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }) else {
            throw TreeCallRefusal(.noData)
        }
        let isUpdate = call.method == .patch
        let (target, name) = (location, key)
        let body = call.body
        // What was read is not kept until the write is durable.
        var call = call
        call.body = []
        let asked = call
        WriteReader(body, at: location, isUpdate: isUpdate, on: self.mailbox) { result in
            switch result {
            case .failure(let error): done(TreeAnswer(body: error, isUpdate: isUpdate))
            case .success(let write):
                do throws(TreeCallRefusal) {
                    try self.commit(write, at: target, name, asked, options, done)
                } catch {
                    done(error.answer)
                }
            }
        }.run()
    }

    private func checkConditions(of call: TreeCall, _ options: TreeCallOptions) throws(TreeCallRefusal) {
        if call.ifNoneMatch != nil { throw TreeCallRefusal("if-none-match is supported for GET alone") }
        switch call.method {
        case .patch where call.wantsETag || call.ifMatch != nil:
            throw TreeCallRefusal("etag requests are not supported for PATCH")
        case .post where call.ifMatch != nil: throw TreeCallRefusal("if-match is not supported for POST")
        default:
            guard call.ifMatch != nil, options.printing == .silent || options.isShallow else { return }
            throw TreeCallRefusal(TreeCallOptions.mixedConditions)
        }
    }

    private func delete(_ call: TreeCall, _ options: TreeCallOptions, _ done: @escaping Done) throws(TreeCallRefusal) {
        let write: TreeWrite
        do throws(TreeError) {
            write = try .set(TreeTemplate(.absent), at: call.location)
        } catch {
            throw TreeCallRefusal(TreeAnswer(error))
        }
        try self.commit(write, at: call.location, nil, call, options, done)
    }

    private func commit(
        _ write: TreeWrite,
        at location: TreeLocation,
        _ key: TreeKey?,
        _ call: TreeCall,
        _ options: TreeCallOptions,
        _ done: @escaping Done
    ) throws(TreeCallRefusal) {
        guard let writer = try call.identity().writer(of: call.tree) else {
            throw TreeCallRefusal(.permissionDenied)
        }
        var condition: TreeCondition?
        if let etag = call.ifMatch {
            guard !location.isPriority else {
                throw TreeCallRefusal("if-match is not supported for priorities")
            }
            condition = TreeCondition(path: location.path, hash: etag == "null_etag" ? "" : etag)
        }
        let tree = self.store.tree(call.tree)
        guard self.bounds.writeSizes.allow(write, to: tree, upTo: options.writeSize, in: self.store) else {
            let isAllowed = self.rules.book.allows(write, to: tree, by: writer, in: self.store)
            throw TreeCallRefusal(isAllowed ? .tooMuchToWrite : .permissionDenied)
        }
        let order = TreeOrder(
            [write],
            to: tree,
            onlyIf: condition,
            allowedBy: self.rules.book.judge(of: call.tree, for: writer)
        )
        let reply = Reply<TreeOutcome>(mailbox: self.mailbox) { result in
            switch result {
            case .failure(let error): done(TreeAnswer(error))
            case .success(.refused(let error)): done(TreeAnswer(error))
            case .success(.stale(let node)): done(self.stale(node, call, options))
            case .success(.denied): done(.permissionDenied)
            case .success(.committed(let committed)):
                done(Self.written(committed, at: location, key, call, options))
            }
        }
        self.transactions.commitTree(order, reply: reply)
    }

    /// What is there instead, and its ETag for the next try; one that would take too long to work out never holds again.
    private func stale(_ node: TreeNode, _ call: TreeCall, _ options: TreeCallOptions) -> TreeAnswer {
        // It is newer than what reading was allowed on.
        guard (try? self.mayRead(call, nil, in: self.root(of: call.tree))) ?? false else { return .permissionDenied }
        var answer = TreeAnswer(412, .node(node, options.form))
        answer.etag = Self.etag(of: node)
        answer.isPretty = options.printing == .pretty
        return answer
    }

    private static func written(
        _ committed: TreeCommitted,
        at location: TreeLocation,
        _ key: TreeKey?,
        _ call: TreeCall,
        _ options: TreeCallOptions
    ) -> TreeAnswer {
        let node = committed.root.part(location)
        var answer = TreeAnswer(200, self.echo(committed, node, key, call))
        if options.printing == .silent { answer = TreeAnswer(204, nil) }
        if call.wantsETag || call.ifMatch != nil { answer.etag = self.etag(of: node) }
        answer.isPretty = options.printing == .pretty
        return answer
    }

    /// What was written, the server's values worked out.
    private static func echo(
        _ committed: TreeCommitted,
        _ node: TreeNode,
        _ key: TreeKey?,
        _ call: TreeCall
    ) -> TreeContent {
        if let key {
            return .text(JSONValue.object([JSONValue.Member("name", .string(key.text))]).text)
        }
        guard call.method == .patch, let change = committed.changes.first, change.isUpdate else {
            return .node(node, .export)
        }
        let members = change.placements.map { placement in
            TreeMember(placement.location.name(from: change.path), placement.node)
        }
        return .members(members, .export)
    }
}

extension TreeLocation {
    /// Its keys below a node that is above it, with slashes between them: what an update calls it.
    func name(from path: TreePath) -> TreeText {
        var names = self.path.keys.dropFirst(path.keys.count).map(\.text.string)
        if self.isPriority { names.append(".priority") }
        return TreeText(names.joined(separator: "/"))
    }
}
