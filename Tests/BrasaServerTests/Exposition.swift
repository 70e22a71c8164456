/// A page of metrics, read as strictly as the format allows: whatever is unusual is a problem with a text.
struct Exposition {
    struct Family {
        let name: String
        let kind: String
        var samples: [(name: String, labels: [String: String], value: Double)] = []
    }

    private(set) var families: [Family] = []
    private(set) var problems: [String] = []
    private var help: String?

    init(_ text: String) {
        if !text.hasSuffix("\n") { self.problems.append("no newline at the end") }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() { self.read(String(line)) }
        for family in self.families { self.check(family) }
        var names: Set<String> = []
        for family in self.families where !names.insert(family.name).inserted {
            self.problems.append("\(family.name) is there twice")
        }
    }

    subscript(name: String, labels: [String: String]) -> Double? {
        let samples = self.families.lazy.flatMap(\.samples)
        return samples.first { $0.name == name && $0.labels == labels }?.value
    }

    subscript(name: String) -> Double? { self[name, [:]] }

    // MARK: Lines

    private mutating func read(_ line: String) {
        if line.hasPrefix("# HELP ") {
            let parts = line.split(separator: " ", maxSplits: 3).map(String.init)
            guard parts.count == 4, parts[3].hasSuffix(".") || parts[3].contains(". ") || parts[3].contains(";") else {
                return self.problems.append("no sentence: \(line)")
            }
            self.help = parts[2]
        } else if line.hasPrefix("# TYPE ") {
            let parts = line.split(separator: " ").map(String.init)
            guard parts.count == 4, parts[2] == self.help else { return self.problems.append("no help: \(line)") }
            self.families.append(Family(name: parts[2], kind: parts[3]))
            self.help = nil
        } else {
            self.readSample(line)
        }
    }

    private mutating func readSample(_ line: String) {
        guard let match = line.wholeMatch(of: /([a-z_]+)(?:\{(.*)\})? ([^ ]+)/), let value = Double(match.3) else {
            return self.problems.append("no sample: \(line)")
        }
        var labels: [String: String] = [:]
        for label in (match.2 ?? "").split(separator: ",") {
            guard let pair = label.wholeMatch(of: /([a-z_]+)="([^"]*)"/), labels[String(pair.1)] == nil else {
                return self.problems.append("no label: \(line)")
            }
            labels[String(pair.1)] = String(pair.2)
        }
        guard let family = self.families.last else { return self.problems.append("of no family: \(line)") }
        let suffixes = family.kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { family.name + $0 == match.1 }) else {
            return self.problems.append("of another family: \(line)")
        }
        self.families[self.families.count - 1].samples.append((String(match.1), labels, value))
    }

    // MARK: Families

    private mutating func check(_ family: Family) {
        let name = family.name
        if !name.hasPrefix("brasa_"), !name.hasPrefix("process_") { self.problems.append("\(name): no prefix") }
        switch family.kind {
        case "counter": if !name.hasSuffix("_total") { self.problems.append("\(name): a counter without _total") }
        case "gauge": if name.hasSuffix("_total") { self.problems.append("\(name): a gauge with _total") }
        case "histogram": self.checkHistogram(family)
        default: self.problems.append("\(name): no kind of Brasa's: \(family.kind)")
        }
        for unit in ["ms", "milliseconds", "microseconds", "kilobytes", "mb"]
        where name.split(separator: "_").contains(where: { $0 == unit }) {
            self.problems.append("\(name): no base unit")
        }
        var seen: Set<[String]> = []
        for sample in family.samples {
            let key = [sample.name] + sample.labels.map { "\($0.key)=\($0.value)" }.sorted()
            if !seen.insert(key).inserted { self.problems.append("twice: \(key)") }
            if sample.value < 0 { self.problems.append("below zero: \(key)") }
        }
    }

    /// Cumulative by ascending bounds, up to `+Inf`, which is the count.
    private mutating func checkHistogram(_ family: Family) {
        let groups = Dictionary(grouping: family.samples) { $0.labels.filter { $0.key != "le" } }
        for (labels, samples) in groups {
            let buckets = samples.filter { $0.name.hasSuffix("_bucket") }
            let bounds = buckets.compactMap { $0.labels["le"].flatMap { $0 == "+Inf" ? .infinity : Double($0) } }
            let counts = buckets.map(\.value)
            let count = samples.first { $0.name.hasSuffix("_count") }?.value
            let hasSum = samples.contains { $0.name.hasSuffix("_sum") }
            if bounds.count != buckets.count || bounds != bounds.sorted() || bounds.last != .infinity {
                self.problems.append("\(family.name) \(labels): bounds \(bounds)")
            }
            if counts != counts.sorted() || counts.last != count || !hasSum {
                self.problems.append("\(family.name) \(labels): counts \(counts)")
            }
        }
    }
}
