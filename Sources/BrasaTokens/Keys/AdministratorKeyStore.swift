package import BrasaPlatform

/// What a command about keys cannot do, in words for the operator.
package enum AdministratorKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    case disk(DiskError)
    case busy(path: String)
    case damaged(path: String)
    /// What this process writes, the server could not read.
    case wrongUser(path: String, owner: UInt32)
    case wrongName(String)
    case wrongDatabase(String)
    case wrongServer(String)
    case nameTaken(String)
    case notFound(String)
    case tooMany
    case tooManyDatabases
    case tooLong
    case keyNotMade

    package var description: String {
        switch self {
        case .disk(let error): error.description
        case .busy(let path): "another command is changing the keys (\(path) is locked)"
        case .damaged(let path): "\(path) is damaged: it is no list of keys"
        case .wrongUser(let path, let owner):
            "\(path) is user \(owner)'s: change keys as that user (sudo -u '#\(owner)'), or the server cannot read them"
        case .wrongName(let name): "a key's name has lower case letters, digits and dashes, 63 at most, not \"\(name)\""
        case .wrongDatabase(let name): "a database is named as in projects/P/databases/D, not \"\(name)\""
        case .wrongServer(let text): "a server's address is as in https://db.example:8080, not \"\(text)\""
        case .nameTaken(let name): "there is a key named \(name)"
        case .notFound(let name): "there is no key named \(name)"
        case .tooMany: "there are \(AdministratorKeyList.keysMax) keys, which is the most there can be"
        case .tooManyDatabases: "a key is for \(AdministratorKeyList.databasesMax) databases at most, or for all"
        case .tooLong: "the list of keys would be longer than what can be read again"
        case .keyNotMade: "the system could not make a key"
        }
    }
}

/// The list of administrators' keys in a data folder: one file that is replaced whole, so that whoever reads it, a running
/// server included, sees the list before a change or after it.
package struct AdministratorKeyStore: Sendable {
    private static let file = "keys.json"
    private let folder: OperatorFolder
    package var path: String { self.folder.path(Self.file) }

    /// - Parameter dataDirectory: of a server, running or not.
    package init(disk: any Disk, dataDirectory: String) {
        self.folder = OperatorFolder("identity", in: dataDirectory, disk: disk)
    }

    /// No file is no keys.
    package func read() throws(AdministratorKeyError) -> AdministratorKeyList {
        let bytes = try self.bytes()
        guard !bytes.isEmpty else { return AdministratorKeyList() }
        return try self.list(in: bytes)
    }

    func list(in bytes: [UInt8]) throws(AdministratorKeyError) -> AdministratorKeyList {
        if bytes.isEmpty { return AdministratorKeyList() }
        guard let list = AdministratorKeyList(parsing: bytes) else { throw .damaged(path: self.path) }
        return list
    }

    /// What the file holds; nothing when there is none. A file that is there has at least a secret in it.
    func bytes() throws(AdministratorKeyError) -> [UInt8] {
        let bytes = try AdministratorKeyError.wrapping { () throws(OperatorFolder.Failure) in
            try self.folder.read(Self.file, bytesMax: AdministratorKeyList.bytesMax)
        }
        guard let bytes else { return [] }
        guard !bytes.isEmpty else { throw .damaged(path: self.path) }
        return bytes
    }

    /// Changes the list, durably when this returns. One change at a time, also of several processes.
    func change<Result>(
        _ body: (inout AdministratorKeyList) throws(AdministratorKeyError) -> Result
    ) throws(AdministratorKeyError) -> Result {
        let lock = try AdministratorKeyError.wrapping { () throws(OperatorFolder.Failure) in
            try self.folder.lock("keys.lock")
        }
        defer { lock.release() }
        var list = try self.read()
        let result = try body(&list)
        let bytes = Array(list.text.utf8)
        // A list that cannot be read would end every command and, at its next start, every key.
        guard AdministratorKeyList(parsing: bytes) == list else { throw .tooLong }
        try AdministratorKeyError.wrapping { () throws(OperatorFolder.Failure) in
            try self.folder.replace(Self.file, by: bytes)
        }
        return result
    }
}

extension AdministratorKeyError {
    fileprivate static func wrapping<Value>(
        _ body: () throws(OperatorFolder.Failure) -> Value
    ) throws(AdministratorKeyError) -> Value {
        do throws(OperatorFolder.Failure) {
            return try body()
        } catch {
            throw AdministratorKeyError(error)
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
