internal import BrasaDocuments

extension Evaluator {
    /// A field of a document, looked up in its bytes.
    mutating func field(_ field: DocumentField, of document: RuleDocument) throws(EvaluationError) -> RuleValue {
        var value: RuleValue
        switch document {
        case .missing: throw .nullValue
        case .known(let data): value = .map(data)
        case .fields(let fields): value = .map(RuleMap(fields))
        }
        for name in field.names { value = try self.member(name, of: value) }
        return value
    }

    /// A whole document: `resource`, and what `get` gives.
    mutating func documentValue(_ document: RuleDocument) throws(EvaluationError) -> RuleValue {
        switch document {
        case .missing: return .null
        case .known(let data):
            return .map(StoredDocument.known(data))
        case .fields(let fields):
            guard let path = self.request.document else { throw .undetermined }
            return .map(RuleMap(StoredDocument(fields, at: path, in: self.request.database)))
        }
    }

    /// Members that a request does not have are absent from the map as well.
    mutating func requestMember(_ member: RequestMember) throws(EvaluationError) -> RuleValue {
        switch member {
        case .auth: return self.request.auth?.value ?? .null
        case .method: return .string(RuleText(UTF8Text(self.request.method.rawValue)))
        case .time: return .timestamp(RuleTimestamp(self.request.time))
        case .path:
            switch self.request.target {
            case .document(let path):
                try self.work.spend(RulePath.work(path))
                return .path(RulePath(database: self.request.database, path: path))
            case .collection(let path):
                try self.work.spend(RulePath.work(path))
                return .path(RulePath(database: self.request.database, below: path))
            case .collectionGroup: throw .undetermined
            }
        case .resource:
            guard let future = self.request.future else { throw .undefinedProperty(member.rawValue) }
            return try self.documentValue(future)
        case .query:
            guard let query = self.request.query else { throw .undefinedProperty(member.rawValue) }
            return try query.value(&self.work)
        }
    }

    /// The request as a map of what it has. What a query leaves unknown does not show: its map is open.
    mutating func requestValue() throws(EvaluationError) -> RuleValue {
        try self.work.spend(Work.expression * 6)
        var entries: [RuleMap.Entry] = []
        for member in [RequestMember.auth, .method, .path, .query, .resource, .time] {
            do throws(EvaluationError) {
                let value = try self.requestMember(member)
                entries.append(RuleMap.Entry(key: UTF8Text(member.rawValue), value: value))
            } catch {
                if error.endsDecision { throw error }
            }
        }
        return .map(self.isProving ? RuleMap(known: entries) : RuleMap(sorted: entries))
    }

    /// What a block's pattern has captured: one segment as a string, or those of the segment for many as a path.
    mutating func capture(_ segment: Int) throws(EvaluationError) -> RuleValue {
        let tail = self.match.patternCount - segment
        if let glob = self.match.glob, segment == glob {
            let end = max(segment, self.path.count - tail + 1)
            guard !self.path.isGroup, end <= self.path.knownCount || end == segment else { throw .undetermined }
            try self.work.spend(elements: end - segment)
            return .path(RulePath((segment..<end).map { .simple(self.path.text($0) ?? "") }))
        }
        let place = self.match.glob.map { segment > $0 } == true ? self.path.count - tail : segment
        guard let text = self.path.text(place) else { throw .nullValue }
        return .string(text)
    }

    @inline(never)
    mutating func evaluateAccess(_ access: AccessFunction, _ argument: NodeID) throws(EvaluationError) -> RuleValue {
        try self.spend(1)
        let value = try self.evaluate(argument)
        guard case .path(let name) = value else {
            throw .unsupported(.access(access, value.type))
        }
        guard !name.isOpen else { throw .undetermined }
        if let variable = name.firstVariable { throw .unboundPathVariable(variable.excerpt) }
        try self.work.spend(Work.step * name.segments.count)
        func failure(_ reason: EvaluationError.AccessFailure) -> EvaluationError {
            .serviceCall(function: access.rawValue, argument: name.excerpt, reason)
        }
        guard let path = try name.document(in: self.request.database, &self.work) else {
            throw failure(.noDocumentPath)
        }
        switch try self.ledger.look(up: path, access, in: self.documents, &self.budget.work) {
        case .refused: throw failure(.refused)
        case .unknown: throw failure(.unknown)
        case .missing: return access.givesDocument ? .null : .bool(false)
        case .fields(let fields):
            return access.givesDocument ? .map(RuleMap(StoredDocument(fields, at: path, name: name))) : .bool(true)
        }
    }
}
