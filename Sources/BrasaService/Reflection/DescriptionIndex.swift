import BrasaMessages

/// Descriptions of files, found by what reflection asks for: files by name, and the file that declares a symbol.
struct DescriptionIndex: Sendable {
    private(set) var files: [FileDescription] = []
    private var filesByName: [String: Int] = [:]
    private var filesBySymbol: [String: Int] = [:]
    /// By extended message: its extension numbers and where they are declared.
    private var extensions: [String: [Int32: Int]] = [:]

    /// The first of two files with one name wins, as `protoc` writes each once.
    init(_ files: [FileDescription]) {
        for file in files where self.filesByName[file.name] == nil { self.add(file) }
    }

    private mutating func add(_ file: FileDescription) {
        let index = self.files.count
        self.files.append(file)
        self.filesByName[file.name] = index
        for symbol in file.symbols where self.filesBySymbol[symbol] == nil { self.filesBySymbol[symbol] = index }
        for field in file.extensions { self.extensions[field.message, default: [:]][field.number] = index }
    }

    func file(named name: String) -> Int? { self.filesByName[name] }

    func file(declaring symbol: String) -> Int? { self.filesBySymbol[symbol] }

    func file(extending message: String, number: Int32) -> Int? { self.extensions[message]?[number] }

    /// Nil for a message that nobody declared.
    func extensionNumbers(of message: String) -> [Int32]? {
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
}
