/// A FileDescriptorSet, indexed by what reflection asks for: files by name, and the file that declares a symbol. The
/// descriptors themselves stay the bytes they were.
struct DescriptorIndex: Sendable {
    struct File: Sendable {
        var name: String
        var dependencies: [String]
        var bytes: [UInt8]
    }

    private(set) var files: [File] = []
    /// Full names of services in the order of the set.
    private(set) var services: [String] = []
    private var filesByName: [String: Int] = [:]
    private var filesBySymbol: [String: Int] = [:]
    /// By extended message: its extension numbers and where they are declared.
    private var extensions: [String: [UInt64: Int]] = [:]

    /// The first of two files with one name wins, as `protoc` writes each once.
    init(fileDescriptorSets: [[UInt8]]) throws(ProtobufReader.Malformed) {
        for set in fileDescriptorSets {
            var reader = ProtobufReader(set[...])
            while let (field, value) = try reader.next() {
                guard field == 1, case .bytes(let bytes) = value else { continue }
                try self.add(file: bytes)
            }
        }
    }

    func file(named name: String) -> Int? { self.filesByName[name] }

    func file(declaring symbol: String) -> Int? { self.filesBySymbol[symbol] }

    func file(extending message: String, number: UInt64) -> Int? { self.extensions[message]?[number] }

    /// Nil for a message that nobody declared.
    func extensionNumbers(of message: String) -> [UInt64]? {
        guard let numbers = self.extensions[message]?.keys else {
            return self.filesBySymbol[message] == nil ? nil : []
        }
        return numbers.sorted()
    }

    /// The file and what it imports, directly or not, each once, the file itself first.
    func closure(of file: Int) -> [Int] {
        var found = [file]
        var seen: Set<Int> = [file]
        var position = 0
        while position < found.count {
            for dependency in self.files[found[position]].dependencies {
                if let index = self.filesByName[dependency], seen.insert(index).inserted { found.append(index) }
            }
            position += 1
        }
        return found
    }

    private mutating func add(file bytes: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) {
        let declarations = try FileDeclarations(bytes)
        guard self.filesByName[declarations.name] == nil else { return }
        let index = self.files.count
        self.files.append(
            File(name: declarations.name, dependencies: declarations.dependencies, bytes: Array(bytes))
        )
        self.filesByName[declarations.name] = index
        self.services += declarations.services
        for symbol in declarations.symbols where self.filesBySymbol[symbol] == nil {
            self.filesBySymbol[symbol] = index
        }
        for (message, number) in declarations.extensions { self.extensions[message, default: [:]][number] = index }
    }
}
