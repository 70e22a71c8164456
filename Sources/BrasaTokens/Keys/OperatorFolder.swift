package import BrasaPlatform

/// A folder within a data folder, whose files commands replace whole, so that whoever reads one, a running server included,
/// finds what was there before a change or after it.
package struct OperatorFolder: Sendable {
    package enum Failure: Error, Hashable, Sendable {
        case disk(DiskError)
        case busy(path: String)
        /// What this process writes, the server could not read.
        case wrongUser(path: String, owner: UInt32)
        case tooLong(path: String)
    }

    /// Of what is being written.
    package static let temporarySuffix = ".tmp"

    private let disk: any Disk
    private let dataDirectory: String
    private let directory: String

    /// - Parameter dataDirectory: of a server, running or not.
    package init(_ name: String, in dataDirectory: String, disk: any Disk) {
        self.disk = disk
        self.dataDirectory = dataDirectory
        self.directory = "\(dataDirectory)/\(name)"
    }

    package func path(_ name: String) -> String { "\(self.directory)/\(name)" }

    /// Nil when there is no such file.
    package func read(_ name: String, bytesMax: Int) throws(Failure) -> [UInt8]? {
        let path = self.path(name)
        let bytes: [UInt8]?
        do throws(DiskError) {
            bytes = try self.disk.contents(of: path, bytesMax: bytesMax)
        } catch {
            if error.operation == .open, error.isMissing { return nil }
            throw .disk(error)
        }
        guard let bytes else { throw .tooLong(path: path) }
        return bytes
    }

    /// What has to be held for a change, so that there is one at a time, also of several processes.
    package func lock(_ name: String) throws(Failure) -> any DiskLock {
        try self.checkUser()
        do throws(DiskError) { try self.disk.createPrivateDirectory(self.directory) } catch { throw .disk(error) }
        do throws(DiskLockError) {
            return try self.disk.lock(self.path(name))
        } catch {
            switch error {
            case .held(let path, _): throw .busy(path: path)
            case .disk(let error): throw .disk(error)
            }
        }
    }

    /// Only the owner may read the files, so whoever writes one has to be the server's user: a server that cannot read it goes
    /// on with what was before. The server's user is the one who made its lock, or else the folder.
    private func checkUser() throws(Failure) {
        let paths = ["\(self.dataDirectory)/LOCK", self.dataDirectory]
        guard let path = paths.first(where: self.disk.exists) else { return }
        let owner: UInt32?
        do throws(DiskError) { owner = try self.disk.otherOwner(of: path) } catch { throw .disk(error) }
        if let owner { throw .wrongUser(path: path, owner: owner) }
    }

    /// Durably when this returns.
    package func replace(_ name: String, by bytes: [UInt8]) throws(Failure) {
        do throws(DiskError) { try self.write(bytes, to: name) } catch { throw .disk(error) }
    }

    private func write(_ bytes: [UInt8], to name: String) throws(DiskError) {
        let temporary = self.path(name) + Self.temporarySuffix
        // What was left by a process that died may be open to others.
        if self.disk.exists(temporary) { try self.disk.remove(temporary) }
        let file = try self.disk.open(temporary, .createPrivate)
        defer { file.close() }
        var written: Result<Void, DiskError> = .success(())
        bytes.withUnsafeBytes { bytes in
            written = Result { () throws(DiskError) in try file.write(bytes, at: 0) }
        }
        try written.get()
        try file.syncData()
        try self.disk.rename(temporary, to: self.path(name))
        try self.disk.syncDirectory(self.directory)
    }

    /// Of the folder's files; none when there is no folder.
    package func names() throws(Failure) -> [String] {
        do throws(DiskError) {
            return try self.disk.list(self.directory)
        } catch {
            if error.isMissing { return [] }
            throw .disk(error)
        }
    }

    /// Takes away files of the folder; what cannot be taken away is left.
    package func removeFiles(where isUnwanted: (String) -> Bool) {
        guard let names = try? self.names() else { return }
        for name in names where isUnwanted(name) { try? self.disk.remove(self.path(name)) }
    }
}
