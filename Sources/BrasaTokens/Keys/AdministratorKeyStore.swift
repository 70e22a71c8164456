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
    private let disk: any Disk
    private let dataDirectory: String
    private var directory: String { "\(self.dataDirectory)/identity" }
    package var path: String { "\(self.directory)/keys.json" }
    private var lockPath: String { "\(self.directory)/keys.lock" }

    /// - Parameter dataDirectory: of a server, running or not.
    package init(disk: any Disk, dataDirectory: String) {
        self.disk = disk
        self.dataDirectory = dataDirectory
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
        do {
            let file: any DiskFile
            do {
                file = try self.disk.open(self.path, .readOnly)
            } catch {
                if error.isMissing { return [] }
                throw error
            }
            defer { file.close() }
            let size = try file.size()
            guard (1...AdministratorKeyList.bytesMax).contains(size) else {
                throw AdministratorKeyError.damaged(path: self.path)
            }
            var bytes = [UInt8](repeating: 0, count: size)
            var count = 0
            try bytes.withUnsafeMutableBytes { count = try file.readFully(into: $0, at: 0) }
            return Array(bytes.prefix(count))
        } catch let error as DiskError {
            throw .disk(error)
        } catch let error as AdministratorKeyError {
            throw error
        } catch {
            throw .damaged(path: self.path)
        }
    }

    /// Changes the list, durably when this returns. One change at a time, also of several processes.
    func change<Result>(
        _ body: (inout AdministratorKeyList) throws(AdministratorKeyError) -> Result
    ) throws(AdministratorKeyError) -> Result {
        try self.checkUser()
        do throws(DiskError) { try self.disk.createPrivateDirectory(self.directory) } catch { throw .disk(error) }
        let lock: any DiskLock
        do throws(DiskLockError) {
            lock = try self.disk.lock(self.lockPath)
        } catch {
            switch error {
            case .held(let path, _): throw .busy(path: path)
            case .disk(let error): throw .disk(error)
            }
        }
        defer { lock.release() }
        var list = try self.read()
        let result = try body(&list)
        let bytes = Array(list.text.utf8)
        // A list that cannot be read would end every command and, at its next start, every key.
        guard AdministratorKeyList(parsing: bytes) == list else { throw .tooLong }
        do throws(DiskError) { try self.replace(by: bytes) } catch { throw .disk(error) }
        return result
    }

    /// Only the owner may read the list, so whoever writes it has to be the server's user: a server that cannot read it goes
    /// on with the keys of before, disabled ones too. The server's user is the one who made its lock, or else the folder.
    private func checkUser() throws(AdministratorKeyError) {
        let paths = ["\(self.dataDirectory)/LOCK", self.dataDirectory]
        guard let path = paths.first(where: self.disk.exists) else { return }
        let owner: UInt32?
        do throws(DiskError) { owner = try self.disk.otherOwner(of: path) } catch { throw .disk(error) }
        if let owner { throw .wrongUser(path: path, owner: owner) }
    }

    private func replace(by bytes: [UInt8]) throws(DiskError) {
        let temporary = self.path + ".tmp"
        // What was left by a process that died may be open to others.
        if self.disk.exists(temporary) { try self.disk.remove(temporary) }
        let file = try self.disk.open(temporary, .createPrivate)
        defer { file.close() }
        var failure: DiskError?
        bytes.withUnsafeBytes { bytes in
            do throws(DiskError) { try file.write(bytes, at: 0) } catch { failure = error }
        }
        if let failure { throw failure }
        try file.syncData()
        try self.disk.rename(temporary, to: self.path)
        try self.disk.syncDirectory(self.directory)
    }
}
