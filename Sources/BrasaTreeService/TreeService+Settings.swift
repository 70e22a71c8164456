import BrasaIdentity
import BrasaStore
import BrasaTransactions
import BrasaTree
import BrasaTreeJudging

/// What administrators ask about a tree beside what is in it.
extension TreeService {
    /// `/.settings/rules`: GET shows the rules of a tree as they were written, PUT replaces them, DELETE takes them back.
    package func answerRules(_ call: TreeCall, _ done: @escaping @Sendable (TreeAnswer) -> Void) {
        let tree = call.tree
        switch call.method {
        case .get:
            guard call.caller.mayRead(tree.description) else { return done(.permissionDenied) }
            done(TreeAnswer(200, .text(self.rules.text(for: tree))))
        case .put, .delete:
            guard call.caller.mayWrite(tree.description) else { return done(.permissionDenied) }
            let text = call.method == .put ? call.body : nil
            let isDryRun = call.parameter("dryRun") == "true"
            self.rules.put(text, for: tree, isDryRun: isDryRun, on: self.mailbox) { done(TreeAnswer($0)) }
        case .post, .patch: done(.error(405, "\(call.method.rawValue) is not supported here"))
        }
    }

    package static let settingNames = TreeSetting.allCases.map(\.rawValue)

    /// `/.settings/NAME.json`, but for rules: GET and PUT. They are kept where rules are, in a tree that no client can name.
    package func answer(
        settingNamed name: String,
        _ call: TreeCall,
        _ done: @escaping @Sendable (TreeAnswer) -> Void
    ) {
        guard let setting = TreeSetting(rawValue: name) else { return done(.error(404, "there is no setting \(name)")) }
        do throws(TreeError) {
            switch call.method {
            case .get:
                guard call.caller.mayRead(call.tree.description) else { return done(.permissionDenied) }
                let node = self.root(of: .settings)[try setting.location(in: call.tree).path]
                done(TreeAnswer(200, .text(node.isAbsent ? setting.values[0].text : node.text(.plain))))
            case .put:
                guard call.caller.mayWrite(call.tree.description) else { return done(.permissionDenied) }
                try self.put(setting, call, done)
            case .post, .patch, .delete: done(.error(405, "\(call.method.rawValue) is not supported here"))
            }
        } catch {
            done(TreeAnswer(error))
        }
    }

    private func put(
        _ setting: TreeSetting,
        _ call: TreeCall,
        _ done: @escaping @Sendable (TreeAnswer) -> Void
    ) throws(TreeError) {
        let value = try JSONValue(parsing: call.body)
        guard setting.values.contains(value) else {
            let values = setting.values.map { String(decoding: $0.text, as: UTF8.self) }.joined(separator: ", ")
            return done(.error(400, "\(setting.rawValue) is one of \(values)"))
        }
        let all = self.root(of: .settings)[try TreePath(TreeSetting.place)]
        let isKnown = try !all[TreePath(call.tree.description)].isAbsent
        guard isKnown || all.childCount < TreeSetting.treesMax else {
            return done(.error(400, "There are settings for \(TreeSetting.treesMax) databases already."))
        }
        let location = try setting.location(in: call.tree)
        let write = try TreeWrite.set(TreeTemplate(parsing: value.text, at: location.path), at: location)
        let reply = Reply<TreeOutcome>(mailbox: self.mailbox) { result in
            switch result {
            case .failure(let error): done(TreeAnswer(error))
            case .success(.refused(let error)): done(TreeAnswer(error))
            case .success(.committed), .success(.stale), .success(.denied): done(TreeAnswer(200, .text(value.text)))
            }
        }
        self.transactions.commitTree(TreeOrder([write], to: self.store.tree(.settings)), reply: reply)
    }

    /// `/.inspect/databases.json`: the trees that there are.
    package func answerDatabases(_ call: TreeCall, _ done: @escaping @Sendable (TreeAnswer) -> Void) {
        guard call.method == .get else { return done(.error(405, "\(call.method.rawValue) is not supported here")) }
        guard call.caller.mayInspect else { return done(.permissionDenied) }
        let trees = self.store.treeNames.filter { $0 != .settings }.map { name in
            JSONValue.object([JSONValue.Member("name", .string(TreeText(name.description)))])
        }
        done(TreeAnswer(200, .text(JSONValue.array(trees).text)))
    }
}

extension TreeAnswer {
    fileprivate init(_ outcome: TreeRuleArchive.Outcome) {
        switch outcome {
        case .saved: self = TreeAnswer(200, .text(Array(#"{"status":"ok"}"#.utf8)))
        case .refused(let text): self = .error(400, text)
        case .tooMany: self = .error(400, "There are rules for \(TreeRuleBook.treesMax) databases already.")
        case .invalid(let error): self = TreeAnswer(error)
        case .failed(let error): self = TreeAnswer(error)
        }
    }
}
