import BrasaBytes
package import BrasaDocuments
package import BrasaPlatform
package import BrasaRules
import BrasaTokens

/// What a command about rules cannot do, in words for the operator.
package enum RuleDeploymentError: Error, Hashable, Sendable, CustomStringConvertible {
    case disk(DiskError)
    case busy(path: String)
    case damaged(path: String)
    /// A list that was there is there no more.
    case gone
    case wrongUser(path: String, owner: UInt32)
    case wrongDatabase(String)
    case none(DatabaseName?)
    case notFound(Int, DatabaseName?)
    case removed(Int)
    case tooManyDatabases

    package var description: String {
        switch self {
        case .disk(let error): error.description
        case .busy(let path): "another command is changing the rules (\(path) is locked)"
        case .damaged(let path): "\(path) is damaged"
        case .gone: "the list of deployments has gone"
        case .wrongUser(let path, let owner):
            "\(path) is user \(owner)'s: change rules as that user (sudo -u '#\(owner)'), or the server cannot read them"
        case .wrongDatabase(let name): "a database is named as in projects/P/databases/D, not \"\(name)\""
        case .none(let database): "no rules were deployed for \(Self.name(database))"
        case .notFound(let number, let database): "there is no deployment \(number) for \(Self.name(database))"
        case .removed(let number): "deployment \(number) has taken rules away and has none"
        case .tooManyDatabases:
            "\(RuleDeployments.databasesMax) databases have rules of their own, the most there can be"
        }
    }

    private static func name(_ database: DatabaseName?) -> String { database?.string ?? "all databases" }
}

/// The rules that were deployed, in a data folder: the list of deployments, which is replaced whole, and the texts, each in a
/// file that its digest names. A text is there before the list that names it, so that whoever reads the list, a running
/// server included, finds all that it is about.
package struct RuleDeploymentStore: Sendable {
    private static let file = "deployments.json"
    private static let lockFile = "deployments.lock"
    private let folder: OperatorFolder

    /// - Parameter dataDirectory: of a server, running or not.
    package init(disk: any Disk, dataDirectory: String) {
        self.folder = OperatorFolder("rules", in: dataDirectory, disk: disk)
    }

    /// As commands are told of one; nil is all that have no rules of their own.
    package static func database(_ text: String?) throws(RuleDeploymentError) -> DatabaseName? {
        guard let text else { return nil }
        guard let name = try? DatabaseName(parsing: text.utf8) else { throw .wrongDatabase(text) }
        return name
    }

    package func read() throws(RuleDeploymentError) -> RuleDeployments { try self.deployments(in: try self.bytes()) }

    /// What the list's file holds; nil when nothing was ever deployed. Without the list that they had, texts are damage: a
    /// server that forgot rules could let in everybody.
    func bytes() throws(RuleDeploymentError) -> [UInt8]? {
        let (bytes, names) = try RuleDeploymentError.wrapping { () throws(OperatorFolder.Failure) in
            let bytes = try self.folder.read(Self.file, bytesMax: RuleDeployments.bytesMax)
            return (bytes, bytes == nil ? try self.folder.names() : [])
        }
        guard bytes.map({ !$0.isEmpty }) ?? !names.contains(where: Self.isText) else {
            throw .damaged(path: self.folder.path(Self.file))
        }
        return bytes
    }

    func deployments(in bytes: [UInt8]?) throws(RuleDeploymentError) -> RuleDeployments {
        guard let bytes else { return RuleDeployments() }
        guard let deployments = RuleDeployments(parsing: bytes) else {
            throw .damaged(path: self.folder.path(Self.file))
        }
        return deployments
    }

    /// The rules' text.
    package func text(_ digest: String) throws(RuleDeploymentError) -> [UInt8] {
        let path = self.path(of: digest)
        let bytes = try RuleDeploymentError.wrapping { () throws(OperatorFolder.Failure) in
            try self.folder.read(Self.name(digest), bytesMax: RuleFileText.bytesMax)
        }
        guard let bytes, SourceText(bytes).digest == digest else { throw .damaged(path: path) }
        return bytes
    }

    func path(of digest: String) -> String { self.folder.path(Self.name(digest)) }

    private static let suffix = ".rules"
    private static func name(_ digest: String) -> String { "\(digest)\(self.suffix)" }

    /// Of 32 bytes in hexadecimal.
    private static func isText(_ name: String) -> Bool {
        name.hasSuffix(self.suffix) && name.utf8.count == 64 + self.suffix.utf8.count
            && name.utf8.prefix(64).allSatisfy { Hexadecimal.value($0) != nil }
    }

    /// The text of a deployment, without a number of the present one.
    package func text(of database: DatabaseName?, _ number: Int?) throws(RuleDeploymentError) -> [UInt8] {
        let history = try self.read().history(of: database)
        let deployment = number.map { number in history.first { $0.number == number } } ?? history.last
        guard let deployment else { throw number.map { .notFound($0, database) } ?? .none(database) }
        guard let digest = deployment.digest else { throw .removed(deployment.number) }
        return try self.text(digest)
    }

    // MARK: Changes

    /// - Parameter database: nil for all that have no rules of their own.
    package func deploy(
        _ rules: Ruleset,
        for database: DatabaseName?,
        by author: String,
        clock: Clock
    ) throws(RuleDeploymentError) -> RuleDeployment {
        let digest = rules.source.digest
        return try self.change { deployments throws(RuleDeploymentError) in
            try RuleDeploymentError.wrapping { () throws(OperatorFolder.Failure) in
                try self.folder.replace(Self.name(digest), by: rules.source.bytes)
            }
            return deployments.add(digest, for: database, at: clock.wall(), by: author)
        }
    }

    /// Brings back the rules of a deployment, without a number those before the present ones.
    package func rollBack(
        _ database: DatabaseName?,
        to number: Int?,
        by author: String,
        clock: Clock
    ) throws(RuleDeploymentError) -> RuleDeployment {
        try self.change { deployments throws(RuleDeploymentError) in
            let history = deployments.history(of: database)
            guard let present = history.last else { throw .none(database) }
            let source: RuleDeployment?
            if let number {
                source = history.first { $0.number == number }
            } else {
                source = history.last { $0.digest != nil && $0.digest != present.digest }
            }
            guard let source else { throw number.map { .notFound($0, database) } ?? .none(database) }
            guard let digest = source.digest else { throw .removed(source.number) }
            return deployments.add(digest, for: database, at: clock.wall(), by: author, restoring: source.number)
        }
    }

    /// From now on a database has the rules of all, and if those are taken away, those of `--rules`.
    package func remove(
        _ database: DatabaseName?,
        by author: String,
        clock: Clock
    ) throws(RuleDeploymentError) -> RuleDeployment {
        try self.change { deployments throws(RuleDeploymentError) in
            guard deployments.history(of: database).last?.digest != nil else { throw .none(database) }
            return deployments.add(nil, for: database, at: clock.wall(), by: author)
        }
    }

    /// Durably when this returns. `body` gives nil when there are too many databases.
    private func change(
        _ body: (inout RuleDeployments) throws(RuleDeploymentError) -> RuleDeployment?
    ) throws(RuleDeploymentError) -> RuleDeployment {
        let lock = try RuleDeploymentError.wrapping { () throws(OperatorFolder.Failure) in
            try self.folder.lock(Self.lockFile)
        }
        defer { lock.release() }
        var deployments = try self.read()
        // A text is never there without a list.
        if try self.bytes() == nil { try self.write(deployments) }
        guard let deployment = try body(&deployments) else { throw .tooManyDatabases }
        try self.write(deployments)
        // What crashed commands have left goes as well; what others have put there stays.
        let wanted = Set(deployments.all.compactMap { $0.digest.map(Self.name) })
        self.folder.removeFiles {
            (Self.isText($0) || $0.hasSuffix(OperatorFolder.temporarySuffix)) && !wanted.contains($0)
        }
        return deployment
    }

    private func write(_ deployments: RuleDeployments) throws(RuleDeploymentError) {
        try RuleDeploymentError.wrapping { () throws(OperatorFolder.Failure) in
            try self.folder.replace(Self.file, by: deployments.json)
        }
    }
}

extension RuleDeploymentError {
    fileprivate static func wrapping<Value>(
        _ body: () throws(OperatorFolder.Failure) -> Value
    ) throws(RuleDeploymentError) -> Value {
        do throws(OperatorFolder.Failure) {
            return try body()
        } catch {
            throw RuleDeploymentError(error)
        }
    }

    private init(_ failure: OperatorFolder.Failure) {
        switch failure {
        case .disk(let error): self = .disk(error)
        case .busy(let path): self = .busy(path: path)
        case .wrongUser(let path, let owner): self = .wrongUser(path: path, owner: owner)
        case .tooLong(let path): self = .damaged(path: path)
        }
    }
}
