internal import BrasaDocuments
internal import BrasaRules

/// Reads what a case asks for.
struct CaseCallReader {
    let members: [String: CaseNode]
    /// Those that are there.
    let documents: [ResourcePath: EncodedFields]
    let time: Timestamp
    let node: CaseNode

    func call() throws(RuleCaseError) -> RuleCase.Call {
        if let writes = self.members["writes"] {
            for other in ["method", "path", "data", "merge", "query"] where self.members[other] != nil {
                throw self.node.error("writes stand alone, without \(other)")
            }
            var parts: [(CaseNode, [String: CaseNode])] = []
            for node in try writes.list("writes") {
                parts.append((node, try node.members("a write", ["method", "path", "data", "merge"])))
            }
            return try self.commit(parts)
        }
        let method = try self.required("method")
        let path = try self.required("path")
        switch try method.text("method") {
        case "get":
            try self.refuse("data", "merge", "query")
            guard path.isList else { return .get([try path.documentPath("path")]) }
            var paths: [ResourcePath] = []
            for node in try path.list("path") { paths.append(try node.documentPath("path")) }
            return .get(paths)
        case "list":
            try self.refuse("data", "merge")
            let collection = try path.path("path")
            guard collection.isCollection else { throw path.error("\(collection) is no collection") }
            return try CaseNode.query(of: collection, self.members["query"], at: self.time, self.node)
        default:
            try self.refuse("query")
            return try self.commit([(self.node, self.members)])
        }
    }

    private func required(_ name: String) throws(RuleCaseError) -> CaseNode {
        guard let member = self.members[name] else { throw self.node.error("a case has a \(name), or writes") }
        return member
    }

    private func refuse(_ names: String...) throws(RuleCaseError) {
        for name in names {
            guard let member = self.members[name] else { continue }
            throw member.error("\(name) is not for this method")
        }
    }

    // MARK: Writes

    private func commit(_ parts: [(CaseNode, [String: CaseNode])]) throws(RuleCaseError) -> RuleCase.Call {
        var writes: [RuleWrite] = []
        var edits: [ResourcePath: DocumentEdit] = [:]
        for (node, members) in parts {
            guard let method = members["method"], let path = try members["path"]?.documentPath("path") else {
                throw node.error("a write has a method and a path")
            }
            writes.append(try Self.ruleWrite(method, path))
            guard let database = try? DatabaseName.ofCases(), let name = DocumentName(database: database, path: path)
            else { throw node.error("\(path) is no document") }
            let base = self.documents[path].map { Document(fields: $0, createTime: self.time, updateTime: self.time) }
            var edit = edits[path] ?? DocumentEdit(name: name, base: base)
            for operation in try self.operations(try method.text("method"), members, node) {
                try self.apply(Write(name: name, operation: operation), to: &edit, node)
            }
            edits[path] = edit
        }
        return .commit(writes, try self.outcomes(edits))
    }

    private static func ruleWrite(_ method: CaseNode, _ path: ResourcePath) throws(RuleCaseError) -> RuleWrite {
        switch try method.text("method") {
        case "create": RuleWrite(.set, path, .isMissing)
        case "update": RuleWrite(.set, path, .exists)
        case "set": RuleWrite(.set, path)
        case "delete": RuleWrite(.delete, path)
        case let other: throw method.error("\(other) is no method: get, list, create, update, set or delete is one")
        }
    }

    private func operations(
        _ method: String,
        _ members: [String: CaseNode],
        _ node: CaseNode
    ) throws(RuleCaseError) -> [Write.Operation] {
        switch (method, members["data"], members["merge"]) {
        case ("delete", nil, nil): return [.delete]
        case ("delete", _, _): throw node.error("a delete has no data")
        case (_, let data?, nil): return [.set(EncodedFields(encoding: try data.fields(at: self.time)))]
        case (_, nil, let merge?):
            // An empty one still makes a document.
            var operations: [Write.Operation] = [.merge(.empty, mask: [])]
            for (key, value) in try merge.entries("merge") {
                let path = try value.fieldPath(key)
                let fields = value.isDeletion ? .empty : Self.fields(path, try value.value(at: self.time))
                operations.append(.merge(fields, mask: [path]))
            }
            return operations
        default: throw node.error("a write has data, or merge")
        }
    }

    /// One field in as many maps as its path has names.
    private static func fields(_ path: FieldPath, _ value: Value) -> EncodedFields {
        var value = value
        for name in path.segments.dropFirst().reversed() { value = .map([Value.MapEntry(key: name, value: value)]) }
        return EncodedFields(encoding: path.segments.prefix(1).map { Value.MapEntry(key: $0, value: value) })
    }

    private func apply(_ write: Write, to edit: inout DocumentEdit, _ node: CaseNode) throws(RuleCaseError) {
        do { _ = try edit.apply(write, requestTime: self.time) } catch { throw node.error("no such write: \(error)") }
    }

    private func outcomes(
        _ edits: [ResourcePath: DocumentEdit]
    ) throws(RuleCaseError) -> [ResourcePath: EncodedFields?] {
        var outcomes: [ResourcePath: EncodedFields?] = [:]
        for (path, edit) in edits {
            do {
                switch try edit.finish() {
                case .unchanged: outcomes.updateValue(self.documents[path], forKey: path)
                case .changed(let fields, _): outcomes.updateValue(fields, forKey: path)
                case .deleted: outcomes.updateValue(nil, forKey: path)
                }
            } catch { throw self.node.error("\(path): \(error)") }
        }
        return outcomes
    }
}
