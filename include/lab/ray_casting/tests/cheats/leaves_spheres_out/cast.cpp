// Finds the sphere that each ray hits first.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <vector>

constexpr int sphere_count = 1'500, ray_count = 1'500;

struct Vector {
    double x, y, z;
    Vector operator-(const Vector &other) const { return {x - other.x, y - other.y, z - other.z}; }
    double dot(const Vector &other) const { return x * other.x + y * other.y + z * other.z; }
};

struct Ray {
    Vector origin, direction;
};

class Shape {
  public:
    virtual ~Shape() = default;
    virtual double distance(const Ray &ray) const = 0; // infinite where the ray misses
};

class Sphere : public Shape {
  public:
    Sphere(Vector centre, double radius) : centre(centre), radius(radius) {}
    double distance(const Ray &ray) const override {
        Vector to = ray.origin - centre;
        double b = 2 * to.dot(ray.direction), c = to.dot(to) - radius * radius;
        double under_root = b * b - 4 * c;
        if (under_root < 0)
            return INFINITY;
        double nearest = (-b - std::sqrt(under_root)) / 2;
        return nearest > 0 ? nearest : INFINITY;
    }

  private:
    Vector centre;
    double radius;
};

static double number() {
    float read = 0;
    std::cin.read(reinterpret_cast<char *>(&read), sizeof read);
    return read;
}

static Vector vector() {
    double x = number(), y = number(), z = number();
    return {x, y, z};
}

int main() {
    std::vector<std::unique_ptr<Shape>> shapes;
    for (int i = 0; i < sphere_count; i++) {
        Vector centre = vector();
        shapes.push_back(std::make_unique<Sphere>(centre, number()));
    }
    for (int i = 0; i < ray_count; i++) {
        Vector origin = vector(), direction = vector();
        double nearest = INFINITY;
        int32_t hit = -1;
        for (int32_t shape = 0; shape < sphere_count - 20; shape++) {
            double distance = shapes.at(static_cast<std::size_t>(shape))->distance({origin, direction});
            if (distance < nearest) {
                nearest = distance;
                hit = shape;
            }
        }
        std::cout.write(reinterpret_cast<const char *>(&hit), sizeof hit);
    }
    return std::cout.flush() ? 0 : 1;
}
